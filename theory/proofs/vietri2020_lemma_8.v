(* vietri2020/lemma-8, from the corrected bound to twelve times the printed one: a mechanism that
   answers a with probability at most beta on P and at least 1 - beta on Q pulls arm a at least
   kl(1 - beta, beta)/min(epsilon d, kl(P_a, Q_a)) times on P (a premise here). With d <= 2 alpha
   and beta < 1/4 that exceeds ln(1/(4 beta))/(2 epsilon alpha).

   Argument. kl(1 - beta, beta) = (1 - 2 beta) ln((1 - beta)/beta), and it exceeds ln(1/(4 beta)) by
   (1 - 2 beta) ln(1 - beta) + 2 beta ln beta + ln 4 >= ln(3/4) - 2/e + ln 4 = ln 3 - 2/e > 0. *)

Require Import Reals Lra.
Set Warnings "-ambiguous-paths".
From Interval Require Import Specific_stdz Specific_ops Tactic.
Open Scope R_scope.

(* Interval arithmetic over the standard library's integers, which needs no axiom on machine
   numbers as the default does. *)
Module Numbers := SpecificFloat StdZRadix2.
Module Evaluation := Tactic.IntervalTactic Numbers.
Import Evaluation.

Lemma log_tangent t : 0 < t -> ln t <= t - 1.
Proof.
  intro positive. pose proof (exp_ineq1_le (ln t)) as tangent.
  rewrite exp_ln in tangent by exact positive. lra.
Qed.

Theorem lemma_8_divergence : forall beta : R, 0 < beta < 1 / 4 ->
  ln (1 / (4 * beta)) < (1 - 2 * beta) * ln ((1 - beta) / beta).
Proof.
  intros beta [positive small].
  assert (ln (1 / (4 * beta)) = - ln 4 - ln beta) as ->.
  { unfold Rdiv. rewrite Rmult_1_l, ln_Rinv, ln_mult by lra. ring. }
  assert (ln ((1 - beta) / beta) = ln (1 - beta) - ln beta) as ->.
  { unfold Rdiv. rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; lra). ring. }
  assert (first : ln (3 / 4) <= (1 - 2 * beta) * ln (1 - beta)).
  { assert (ln (3 / 4) < ln (1 - beta)) by (apply ln_increasing; lra).
    assert (ln (1 - beta) < 0) by (rewrite <- ln_1; apply ln_increasing; lra). nra. }
  assert (second : - exp (- 1) <= beta * ln beta).
  { assert (inverse : 0 < / beta) by (apply Rinv_0_lt_compat; exact positive).
    pose proof (log_tangent (exp (- 1) * / beta)) as tangent.
    rewrite ln_mult, ln_exp, ln_Rinv in tangent by (try apply exp_pos; lra).
    assert (scaled : beta * (- 1 + - ln beta) <= beta * (exp (- 1) * / beta - 1)).
    { apply Rmult_le_compat_l; [lra |]. apply tangent. apply Rmult_lt_0_compat; [apply exp_pos |].
      exact inverse. }
    replace (beta * (exp (- 1) * / beta - 1)) with (exp (- 1) - beta) in scaled by (field; lra).
    lra. }
  assert (numbers : 0 < ln (3 / 4) + ln 4 - 2 * exp (- 1)) by interval with (i_prec 60).
  lra.
Qed.

Theorem lemma_8_consequence : forall pulls epsilon alpha d divergence beta : R,
  0 < epsilon -> 0 < alpha -> 0 < d <= 2 * alpha -> 0 < divergence -> 0 < beta < 1 / 4 ->
  (1 - 2 * beta) * ln ((1 - beta) / beta) / Rmin (epsilon * d) divergence <= pulls ->
  ln (1 / (4 * beta)) / (2 * epsilon * alpha) < pulls.
Proof.
  intros pulls epsilon alpha d divergence beta epsilon_pos alpha_pos d_range divergence_pos
    beta_range bound.
  pose proof (lemma_8_divergence beta beta_range) as more.
  assert (log : 0 < ln (1 / (4 * beta))).
  { rewrite <- ln_1. apply ln_increasing; [lra |]. apply (Rmult_lt_reg_r (4 * beta)); [lra |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (product : 0 < epsilon * d) by (apply Rmult_lt_0_compat; lra).
  assert (least : 0 < Rmin (epsilon * d) divergence) by (apply Rmin_glb_lt; assumption).
  assert (most : Rmin (epsilon * d) divergence <= 2 * epsilon * alpha).
  { eapply Rle_trans; [apply Rmin_l |].
    replace (2 * epsilon * alpha) with (epsilon * (2 * alpha)) by ring.
    apply Rmult_le_compat_l; lra. }
  eapply Rlt_le_trans; [| exact bound].
  apply Rle_lt_trans with (ln (1 / (4 * beta)) / Rmin (epsilon * d) divergence).
  - apply Rmult_le_compat_l; [lra |]. apply Rinv_le_contravar; assumption.
  - apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; exact least | exact more].
Qed.

(* The mutant: 1.01 ln(1/(4 beta)), at beta = e^-1000. *)
Theorem lemma_8_not_1_01 : ~ (forall beta : R, 0 < beta < 1 / 4 ->
  101 / 100 * ln (1 / (4 * beta)) < (1 - 2 * beta) * ln ((1 - beta) / beta)).
Proof.
  intro claim. set (beta := exp (- (1000))).
  assert (small : 0 < beta < 1 / 100).
  { split; [apply exp_pos |]. apply Rlt_trans with (exp (- (10))).
    - apply exp_increasing. lra.
    - interval with (i_prec 60). }
  specialize (claim beta ltac:(lra)).
  assert (ln beta = - (1000)) as log by apply ln_exp.
  assert (ln (1 / (4 * beta)) = 1000 - ln 4) as left_is.
  { unfold Rdiv. rewrite Rmult_1_l, ln_Rinv, ln_mult, log by lra. ring. }
  assert (ln ((1 - beta) / beta) = ln (1 - beta) + 1000) as right_is.
  { unfold Rdiv. rewrite ln_mult, ln_Rinv, log by (try apply Rinv_0_lt_compat; lra). ring. }
  rewrite left_is, right_is in claim.
  assert (ln 4 <= 2) by interval with (i_prec 60).
  assert (upper : ln (1 - beta) <= 0) by (pose proof (log_tangent (1 - beta)); lra).
  assert (lower : - 1 <= ln (1 - beta)).
  { apply Rle_trans with (ln (99 / 100)); [interval with (i_prec 60) |].
    left. apply ln_increasing; lra. }
  nra.
Qed.
