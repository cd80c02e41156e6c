"""What ``privrl advise`` says, by topic: what was asked, how many users, and the program."""
