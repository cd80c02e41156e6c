(* vietri2020, Claim 2:  1/(x - y) <= 1/x + 2y/x^2  for all y > 0 and x >= 2y.

   The right side minus the left is y (x - 2y) / (x^2 (x - y)). Its numerator is not negative and
   its denominator is positive. At x = 2y it vanishes, so no constant below 2 will do. *)

Require Import Reals Lra.
Open Scope R_scope.

(* The identity on which the proof rests. *)
Lemma gap : forall x y : R, x <> 0 -> x - y <> 0 ->
  1 / x + 2 * y / x ^ 2 - 1 / (x - y) = y * (x - 2 * y) / (x ^ 2 * (x - y)).
Proof.
  intros x y x_not_zero difference_not_zero. field. split; assumption.
Qed.

Theorem claim_2 : forall x y : R,
  y > 0 -> x >= 2 * y -> 1 / (x - y) <= 1 / x + 2 * y / x ^ 2.
Proof.
  intros x y y_positive x_large.
  assert (0 <= y * (x - 2 * y) / (x ^ 2 * (x - y))) as not_negative.
  { apply Rmult_le_pos.
    - apply Rmult_le_pos; lra.
    - apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat; [apply pow_lt|]; lra. }
  rewrite <- gap in not_negative by lra. lra.
Qed.

(* No constant below 2 will do: x = 2, y = 1. *)
Theorem claim_2_sharp : forall c : R, c < 2 ->
  ~ (forall x y : R, y > 0 -> x >= 2 * y -> 1 / (x - y) <= 1 / x + c * y / x ^ 2).
Proof.
  intros c c_small claim. specialize (claim 2 1 ltac:(lra) ltac:(lra)).
  replace (1 / (2 - 1)) with 1 in claim by field.
  replace (1 / 2 + c * 1 / 2 ^ 2) with (1 / 2 + c / 4) in claim by field.
  lra.
Qed.

(* The mutant: 1.999 in place of 2. *)
Theorem claim_2_mutant :
  ~ (forall x y : R, y > 0 -> x >= 2 * y -> 1 / (x - y) <= 1 / x + 1999 / 1000 * y / x ^ 2).
Proof.
  apply claim_2_sharp. lra.
Qed.

(* The axioms of all theorems of this file. *)
Definition checked := (claim_2, claim_2_mutant).

Print Assumptions checked.
