(* vietri2020, Lemma 22 with the index that is meant: for every m >= 1 and a_1, .., a_m in
   [a_min, 1], a_min > 0,

       sum_{k=1}^m a_k / (a_1 + .. + a_k)  <=  ln (m e / a_min).

   Let A_k = a_1 + .. + a_k. The first term is 1. For k >= 2, with y = A_{k-1} / A_k,
   a_k / A_k = 1 - y <= -ln y = ln A_k - ln A_{k-1}, as ln y <= y - 1. The sum telescopes to
   1 + ln A_m - ln a_1 at most, and A_m <= m, a_1 >= a_min, 1 + ln (m / a_min) = ln (m e / a_min).
   Equality at m = 1, a_1 = a_min = 1. *)

Require Import Reals Lra Lia.
Open Scope R_scope.

(* total f m = f 1 + .. + f m *)
Fixpoint total (f : nat -> R) (m : nat) : R :=
  match m with
  | O => 0
  | S k => total f k + f (S k)
  end.

Lemma logarithm_below_tangent : forall y : R, 0 < y -> ln y <= y - 1.
Proof.
  intros y y_positive.
  pose proof (exp_ineq1_le (ln y)) as tangent. rewrite exp_ln in tangent by assumption. lra.
Qed.

Section Sequence.

Variable a : nat -> R.
Variable a_min : R.
Hypothesis a_min_positive : 0 < a_min.

Definition A (k : nat) : R := total a k.

Lemma A_positive : forall m : nat, (1 <= m)%nat ->
  (forall k : nat, (1 <= k <= m)%nat -> a_min <= a k <= 1) -> 0 < A m.
Proof.
  intros m at_least_one inside. unfold A. induction m as [|m positive]; [lia|].
  pose proof (inside (S m) ltac:(lia)). simpl. destruct m as [|m]; [simpl; lra|].
  assert (0 < total a (S m)) by (apply positive; [lia | intros k bounds; apply inside; lia]).
  lra.
Qed.

Lemma A_at_most : forall m : nat,
  (forall k : nat, (1 <= k <= m)%nat -> a_min <= a k <= 1) -> A m <= INR m.
Proof.
  intros m inside. unfold A. induction m as [|m at_most]; [simpl; lra|].
  pose proof (inside (S m) ltac:(lia)).
  assert (total a m <= INR m) by (apply at_most; intros k bounds; apply inside; lia).
  rewrite S_INR. simpl. lra.
Qed.

(* One step of the telescope. *)
Lemma one_term : forall before now : R,
  0 < before -> 0 < now -> now / (before + now) <= ln (before + now) - ln before.
Proof.
  intros before now before_positive now_positive.
  pose proof (logarithm_below_tangent (before / (before + now))
                ltac:(apply Rdiv_lt_0_compat; lra)) as tangent.
  unfold Rdiv in tangent at 1. rewrite ln_mult in tangent; try lra.
  2: apply Rinv_0_lt_compat; lra.
  rewrite ln_Rinv in tangent by lra.
  replace (now / (before + now)) with (1 - before / (before + now)) by (field; lra).
  lra.
Qed.

Lemma telescope : forall m : nat, (1 <= m)%nat ->
  (forall k : nat, (1 <= k <= m)%nat -> a_min <= a k <= 1) ->
  total (fun k => a k / A k) m <= 1 + ln (A m) - ln (a 1%nat).
Proof.
  intros m at_least_one inside. induction m as [|m telescoped]; [lia|].
  destruct m as [|m].
  - pose proof (inside 1%nat ltac:(lia)). unfold A. simpl.
    replace (0 + a 1%nat) with (a 1%nat) by ring.
    replace (a 1%nat / a 1%nat) with 1 by (field; lra). lra.
  - assert (inside_before : forall k : nat, (1 <= k <= S m)%nat -> a_min <= a k <= 1)
      by (intros k bounds; apply inside; lia).
    specialize (telescoped ltac:(lia) inside_before).
    pose proof (A_positive (S m) ltac:(lia) inside_before) as before_positive.
    pose proof (inside (S (S m)) ltac:(lia)) as now_inside.
    pose proof (one_term (A (S m)) (a (S (S m))) before_positive ltac:(lra)) as step.
    change (total (fun k => a k / A k) (S (S m)))
      with (total (fun k => a k / A k) (S m) + a (S (S m)) / A (S (S m))).
    change (A (S (S m))) with (A (S m) + a (S (S m))).
    lra.
Qed.

End Sequence.

Theorem lemma_22 : forall (m : nat) (a : nat -> R) (a_min : R),
  (1 <= m)%nat -> 0 < a_min ->
  (forall k : nat, (1 <= k <= m)%nat -> a_min <= a k <= 1) ->
  total (fun k => a k / total a k) m <= ln (INR m * exp 1 / a_min).
Proof.
  intros m a a_min at_least_one a_min_positive inside.
  pose proof (telescope a a_min a_min_positive m at_least_one inside) as telescoped.
  pose proof (A_at_most a a_min m inside) as at_most.
  pose proof (A_positive a a_min a_min_positive m at_least_one inside) as positive.
  pose proof (inside 1%nat ltac:(lia)) as first.
  assert (1 <= INR m) as m_large by (change 1 with (INR 1); apply le_INR; assumption).
  assert (ln (A a m) <= ln (INR m)) as large.
  { destruct at_most as [less | same]; [|rewrite same; lra].
    left. apply ln_increasing; assumption. }
  assert (ln a_min <= ln (a 1%nat)) as small.
  { destruct (proj1 first) as [less | same]; [|rewrite same; lra].
    left. apply ln_increasing; assumption. }
  unfold Rdiv. rewrite ln_mult, ln_mult, ln_exp, ln_Rinv; try lra.
  - unfold A in *. lra.
  - apply exp_pos.
  - apply Rmult_lt_0_compat; [lra | apply exp_pos].
  - apply Rinv_0_lt_compat; assumption.
Qed.

(* The mutant: 0.999 of the bound, at m = 1 and a_1 = a_min = 1. *)
Theorem lemma_22_mutant :
  ~ (forall (m : nat) (a : nat -> R) (a_min : R),
     (1 <= m)%nat -> 0 < a_min ->
     (forall k : nat, (1 <= k <= m)%nat -> a_min <= a k <= 1) ->
     total (fun k => a k / total a k) m <= 999 / 1000 * ln (INR m * exp 1 / a_min)).
Proof.
  intro claim.
  specialize (claim 1%nat (fun _ => 1) 1 ltac:(lia) ltac:(lra) ltac:(intros; lra)).
  simpl in claim.
  replace (0 + 1 / (0 + 1)) with 1 in claim by field.
  replace (1 * exp 1 / 1) with (exp 1) in claim by field.
  rewrite ln_exp in claim. lra.
Qed.

(* As printed, with the inner sum's index in the numerator, for a fixed i: a = (0.01, 1), i = 2. *)
Theorem lemma_22_printed_refuted :
  ~ (forall (m i : nat) (a : nat -> R) (a_min : R),
     (1 <= i <= m)%nat -> 0 < a_min ->
     (forall k : nat, (1 <= k <= m)%nat -> a_min <= a k <= 1) ->
     total (fun k => a i / total a k) m <= ln (INR m * exp 1 / a_min)).
Proof.
  intro claim.
  specialize (claim 2%nat 2%nat (fun k => match k with 2%nat => 1 | _ => 1 / 100 end) (1 / 100)
                ltac:(lia) ltac:(lra)).
  match type of claim with ?premise -> _ => assert premise as legal end.
  { intros k bounds. destruct k as [|[|[|k]]]; simpl; lra. }
  specialize (claim legal). simpl in claim.
  replace (0 + 1 / (0 + 1 / 100) + 1 / (0 + 1 / 100 + 1)) with (100 + 100 / 101) in claim
    by field.
  replace ((1 + 1) * exp 1 / (1 / 100)) with (200 * exp 1) in claim by field.
  rewrite ln_mult, ln_exp in claim by (try apply exp_pos; lra).
  replace 200 with (10 * 20) in claim by ring. rewrite ln_mult in claim by lra.
  pose proof (logarithm_below_tangent 10 ltac:(lra)).
  pose proof (logarithm_below_tangent 20 ltac:(lra)). lra.
Qed.

(* Its mutant: i = 1, where the same sequence obeys it. *)
Theorem lemma_22_printed_mutant :
  let a k := match k with 2%nat => 1 | _ => 1 / 100 end in
  total (fun k => a 1%nat / total a k) 2 <= ln (INR 2 * exp 1 / (1 / 100)).
Proof.
  simpl. replace (0 + 1 / 100 / (0 + 1 / 100) + 1 / 100 / (0 + 1 / 100 + 1)) with (102 / 101)
    by field.
  replace ((1 + 1) * exp 1 / (1 / 100)) with (exp 1 * exp 1 * (200 / exp 1))
    by (field; apply Rgt_not_eq, exp_pos).
  rewrite <- exp_plus, ln_mult, ln_exp.
  - assert (0 <= ln (200 / exp 1)); [|lra].
    rewrite <- ln_1. left. apply ln_increasing; [lra|].
    pose proof (exp_pos 1). pose proof exp_le_3.
    apply Rmult_lt_reg_r with (exp 1); [assumption|].
    replace (200 / exp 1 * exp 1) with 200 by (field; lra). lra.
  - apply exp_pos.
  - apply Rdiv_lt_0_compat; [lra | apply exp_pos].
Qed.

(* The axioms of all theorems of this file. *)
Definition checked :=
  (lemma_22, lemma_22_mutant, lemma_22_printed_refuted, lemma_22_printed_mutant).

Print Assumptions checked.
