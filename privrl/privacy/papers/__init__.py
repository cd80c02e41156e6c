"""What a run needs to know of a paper, a module each: its noise, small setting, counter, worst
pair.

:mod:`privrl.privacy.noise` finds them here.
"""
