(* zhou2022, Theorem 5.1, line (i) of the regret for one first state: the weights of line 15 of
   Algorithm 2 lose at most sqrt(2 H^3 T ln A), T = K H, at eta = sqrt(2 ln A/(H T)), for every K,
   H, S, A, every sequence Q^k in [0, H] and every policy that they are compared with.

   Fix a state and a step. pi^1 is uniform, pi^{k+1}(a) = pi^k(a) exp(eta Q^k(a)) / Z_k.

   One step.  ln Z_k <= eta <Q^k, pi^k> + eta^2 H^2/2: with c = eta H and z = eta Q^k(a) - c <= 0,
   exp z <= 1 + z + z^2/2 <= 1 + z + c^2/2, so Z_k <= exp(c) (1 + E z + c^2/2)
   <= exp(c + E z + c^2/2) = exp(eta <Q^k, pi^k> + c^2/2).

   All episodes.  1 >= pi^{K+1}(a) = (1/A) exp(eta sum_k Q^k(a)) / (Z_1 .. Z_K), hence
   eta sum_k Q^k(a) <= ln A + sum_k ln Z_k. Averaged over any policy pi*,
   sum_k <Q^k, pi* - pi^k> <= ln A/eta + eta K H^2/2.

   All states and steps.  As there is one first state, the law of the states that pi* reaches is the
   same in all episodes, so (i) <= H (ln A/eta + eta K H^2/2) = sqrt(2 H^3 T ln A). *)

Require Import Reals Lra Lia.
Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
Require Import totals.
Open Scope R_scope.

Lemma term_at_most : forall k f i,
  (forall j, (j < k)%nat -> 0 <= f j) -> (i < k)%nat -> f i <= total k f.
Proof.
  induction k as [|k at_most]; intros f i positive inside; [lia|]. simpl.
  assert (0 <= total k f).
  { replace 0 with (total k (fun _ => 0)) by (rewrite total_constant; ring).
    apply total_at_most. intros. apply positive. lia. }
  pose proof (positive k ltac:(lia)).
  destruct (Nat.eq_dec i k) as [same | other]; [subst i; lra|].
  assert (f i <= total k f); [|lra]. apply at_most; [intros; apply positive|]; lia.
Qed.

(* ---- the exponential below 0 ---- *)

Lemma exponential_below : forall z : R, z <= 0 -> exp z <= 1 + z + z ^ 2 / 2.
Proof.
  intros z [negative | zero].
  - destruct (MVT_cor2 (fun t => 1 + t + t ^ 2 / 2 - exp t) (fun t => 1 + t - exp t) z 0 negative)
      as [t [increase _]].
    { intros t _. apply is_derive_Reals. auto_derive; [trivial | field]. }
    pose proof (exp_ineq1_le t).
    assert (0 <= (exp t - 1 - t) * (0 - z)) by (apply Rmult_le_pos; lra).
    rewrite exp_0 in increase. lra.
  - rewrite zero, exp_0. lra.
Qed.

(* ---- one state and step ---- *)

Definition distribution (A : nat) (p : nat -> R) : Prop :=
  (forall a, (a < A)%nat -> 0 <= p a) /\ total A p = 1.

(* <q, p> *)
Definition inner (A : nat) (q p : nat -> R) : R := total A (fun a => q a * p a).

Section Weights.

Variable A : nat.
Variables eta H : R.
Hypothesis eta_positive : 0 <= eta.
Hypothesis H_positive : 0 <= H.

Definition Z (p q : nat -> R) : R := total A (fun a => p a * exp (eta * q a)).

Lemma one_step : forall p q : nat -> R,
  distribution A p -> (forall a, (a < A)%nat -> 0 <= q a <= H) ->
  0 < Z p q /\ ln (Z p q) <= eta * inner A q p + eta ^ 2 * H ^ 2 / 2.
Proof.
  intros p q [positive sure] inside. set (c := eta * H).
  assert (0 <= c) as c_positive by (apply Rmult_le_pos; assumption).
  assert (forall a, (a < A)%nat -> 0 <= eta * q a <= c) as scaled.
  { intros a action. pose proof (inside a action).
    split; [apply Rmult_le_pos | apply Rmult_le_compat_l]; lra. }
  assert (1 <= Z p q) as large.
  { rewrite <- sure. apply total_at_most. intros a action.
    rewrite <- (Rmult_1_r (p a)) at 1. apply Rmult_le_compat_l; [apply positive; assumption|].
    rewrite <- exp_0. pose proof (exp_ineq1_le (eta * q a)). pose proof (scaled a action).
    rewrite exp_0. lra. }
  split; [lra|].
  assert (Z p q <= exp (eta * inner A q p + eta ^ 2 * H ^ 2 / 2)) as small.
  { apply Rle_trans with (exp c * (1 + (eta * inner A q p - c) + c ^ 2 / 2)).
    - replace (exp c * (1 + (eta * inner A q p - c) + c ^ 2 / 2))
        with (total A (fun a => exp c * (1 - c + c ^ 2 / 2) * p a + exp c * eta * (q a * p a))).
      2: { rewrite total_added, !total_scaled, sure. unfold inner. ring. }
      apply total_at_most. intros a action. pose proof (scaled a action) as bounds.
      replace (exp c * (1 - c + c ^ 2 / 2) * p a + exp c * eta * (q a * p a))
        with (p a * (exp c * (1 + (eta * q a - c) + c ^ 2 / 2))) by ring.
      apply Rmult_le_compat_l; [apply positive; assumption|].
      replace (exp (eta * q a)) with (exp c * exp (eta * q a - c))
        by (rewrite <- exp_plus; f_equal; ring).
      apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|].
      pose proof (exponential_below (eta * q a - c) ltac:(lra)).
      assert ((c - eta * q a) ^ 2 <= c ^ 2) by (apply pow_incr; lra).
      replace ((eta * q a - c) ^ 2) with ((c - eta * q a) ^ 2) in * by ring. lra.
    - replace (exp (eta * inner A q p + eta ^ 2 * H ^ 2 / 2))
        with (exp c * exp ((eta * inner A q p - c) + c ^ 2 / 2))
        by (rewrite <- exp_plus; f_equal; unfold c; field).
      apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|].
      pose proof (exp_ineq1_le ((eta * inner A q p - c) + c ^ 2 / 2)). lra. }
  rewrite <- (ln_exp (eta * inner A q p + eta ^ 2 * H ^ 2 / 2)).
  destruct small as [less | same]; [left; apply ln_increasing; lra | rewrite same; lra].
Qed.

(* Line 15, episodes k = 0, 1, .. *)
Variable Q : nat -> nat -> R.

Fixpoint pi (k : nat) (a : nat) : R :=
  match k with
  | O => / INR A
  | S before => pi before a * exp (eta * Q before a) / Z (pi before) (Q before)
  end.

Hypothesis actions : (1 <= A)%nat.
Hypothesis Q_inside : forall k a, (a < A)%nat -> 0 <= Q k a <= H.

Lemma A_large : 1 <= INR A.
Proof. change 1 with (INR 1). apply le_INR. assumption. Qed.

Lemma pi_distribution : forall k, distribution A (pi k).
Proof.
  pose proof A_large. induction k as [|k legal].
  - split; [intros; apply Rlt_le, Rinv_0_lt_compat; lra|].
    simpl. rewrite total_constant. field. lra.
  - destruct (one_step (pi k) (Q k) legal (Q_inside k)) as [positive _]. split.
    + intros a action. simpl. apply Rmult_le_pos; [apply Rmult_le_pos|].
      * apply legal. assumption.
      * apply Rlt_le, exp_pos.
      * apply Rlt_le, Rinv_0_lt_compat. assumption.
    + rewrite (total_same A (pi (S k))
        (fun a => / Z (pi k) (Q k) * (pi k a * exp (eta * Q k a)))) by (intros; simpl; field; lra).
      rewrite total_scaled. fold (Z (pi k) (Q k)). field. lra.
Qed.

Lemma unrolled : forall K a, (a < A)%nat -> 0 < pi K a /\
  ln (pi K a) = eta * total K (fun k => Q k a) - total K (fun k => ln (Z (pi k) (Q k)))
                - ln (INR A).
Proof.
  pose proof A_large. induction K as [|K before]; intros a action.
  - simpl. split; [apply Rinv_0_lt_compat; lra | rewrite ln_Rinv; lra].
  - destruct (before a action) as [positive value].
    destruct (one_step (pi K) (Q K) (pi_distribution K) (Q_inside K)) as [Z_positive _].
    pose proof (exp_pos (eta * Q K a)). pose proof (Rinv_0_lt_compat _ Z_positive).
    assert (0 < pi K a * exp (eta * Q K a)) by (apply Rmult_lt_0_compat; assumption).
    split; [apply Rmult_lt_0_compat; assumption|].
    simpl. unfold Rdiv. rewrite ln_mult, ln_mult, ln_exp, ln_Rinv, value by assumption. ring.
Qed.

Theorem weights_regret : forall (K : nat) (pi_star : nat -> R),
  distribution A pi_star ->
  eta * total K (fun k => inner A (Q k) (fun a => pi_star a - pi k a))
    <= ln (INR A) + eta ^ 2 * INR K * H ^ 2 / 2.
Proof.
  intros K pi_star [positive sure].
  assert (forall a, (a < A)%nat ->
    eta * total K (fun k => Q k a)
      <= ln (INR A) + eta * total K (fun k => inner A (Q k) (pi k))
         + eta ^ 2 * INR K * H ^ 2 / 2) as each.
  { intros a action. destruct (unrolled K a action) as [some logarithm].
    assert (pi K a <= 1) as at_most.
    { destruct (pi_distribution K) as [all_positive all]. rewrite <- all.
      apply term_at_most; assumption. }
    assert (ln (pi K a) <= 0) as negative.
    { rewrite <- ln_1. destruct at_most as [less | same]; [|rewrite same; lra].
      left. apply ln_increasing; assumption. }
    assert (total K (fun k => ln (Z (pi k) (Q k)))
            <= total K (fun k => eta * inner A (Q k) (pi k) + eta ^ 2 * H ^ 2 / 2)) as steps.
    { apply total_at_most. intros k _. apply one_step; [apply pi_distribution | apply Q_inside]. }
    rewrite total_added, total_scaled, total_constant in steps. lra. }
  set (most := ln (INR A) + eta * total K (fun k => inner A (Q k) (pi k))
               + eta ^ 2 * INR K * H ^ 2 / 2) in *.
  assert (total A (fun a => pi_star a * (eta * total K (fun k => Q k a))) <= most) as averaged.
  { replace most with (total A (fun a => most * pi_star a)) by (rewrite total_scaled, sure; ring).
    apply total_at_most. intros a action. rewrite (Rmult_comm most).
    apply Rmult_le_compat_l; [apply positive | apply each]; assumption. }
  assert (total A (fun a => pi_star a * (eta * total K (fun k => Q k a)))
          = eta * total K (fun k => inner A (Q k) pi_star)) as same.
  { unfold inner. rewrite total_swapped.
    rewrite <- (total_scaled A eta (fun a => total K (fun k => Q k a * pi_star a))).
    apply total_same. intros a _.
    replace (pi_star a * (eta * total K (fun k => Q k a)))
      with (eta * (pi_star a * total K (fun k => Q k a))) by ring.
    f_equal. rewrite <- total_scaled. apply total_same. intros k _. ring. }
  rewrite same in averaged.
  assert (total K (fun k => inner A (Q k) (fun a => pi_star a - pi k a))
          = total K (fun k => inner A (Q k) pi_star)
            + - (1) * total K (fun k => inner A (Q k) (pi k)))
    as split_up.
  { rewrite <- total_scaled, <- total_added. apply total_same. intros k _. unfold inner.
    rewrite <- total_scaled, <- total_added. apply total_same. intros a _. ring. }
  rewrite split_up. unfold most in averaged. lra.
Qed.

End Weights.

(* ---- all states and steps ---- *)

(* Line (i): the law d h of the states that pi* reaches at step h is the same in all episodes. The
   weights of each state and step follow their own Q. *)
Definition line_i (A K H nS : nat) (eta : R) (d : nat -> nat -> R)
    (pi_star : nat -> nat -> nat -> R) (Q : nat -> nat -> nat -> nat -> R) : R :=
  total K (fun k => total H (fun h => total nS (fun s =>
    d h s * inner A (Q k h s)
              (fun a => pi_star h s a - pi A eta (fun k' => Q k' h s) k a)))).

Definition step_size (A K H : nat) : R := sqrt (2 * ln (INR A) / (INR H * (INR K * INR H))).

Definition legal (A K H nS : nat) (d : nat -> nat -> R) (pi_star : nat -> nat -> nat -> R)
    (Q : nat -> nat -> nat -> nat -> R) : Prop :=
  (1 <= A)%nat /\ (1 <= K)%nat /\ (1 <= H)%nat /\
  (forall h, distribution nS (d h)) /\
  (forall h s, distribution A (pi_star h s)) /\
  (forall k h s a, (a < A)%nat -> 0 <= Q k h s a <= INR H).

Theorem mirror_descent : forall (A K H nS : nat) (d : nat -> nat -> R)
    (pi_star : nat -> nat -> nat -> R) (Q : nat -> nat -> nat -> nat -> R),
  legal A K H nS d pi_star Q ->
  line_i A K H nS (step_size A K H) d pi_star Q
    <= sqrt (2 * INR H ^ 3 * (INR K * INR H) * ln (INR A)).
Proof.
  intros A K H nS d pi_star Q (actions & episodes & steps & laws & policies & inside).
  set (eta := step_size A K H).
  assert (1 <= INR K) as K_large by (change 1 with (INR 1); apply le_INR; assumption).
  assert (1 <= INR H) as H_large by (change 1 with (INR 1); apply le_INR; assumption).
  set (most := sqrt (2 * INR H ^ 3 * (INR K * INR H) * ln (INR A))).
  assert (0 <= eta) as eta_positive by apply sqrt_pos.
  (* each state and step loses at most its share *)
  assert (forall h s,
    total K (fun k => inner A (Q k h s)
      (fun a => pi_star h s a - pi A eta (fun k' => Q k' h s) k a)) <= most / INR H) as each.
  { intros h s.
    destruct (Nat.eq_dec A 1) as [one | more].
    - (* one action: both policies take it *)
      apply Rle_trans with 0.
      + replace 0 with (total K (fun _ => 0)) by (rewrite total_constant; ring).
        apply total_at_most. intros k _. right. unfold inner.
        pose proof (proj2 (policies h s)) as sure.
        pose proof (proj2 (pi_distribution A eta (INR H) eta_positive (pos_INR H)
                             (fun k' => Q k' h s) actions (fun k' => inside k' h s) k)) as sure'.
        rewrite one in *. simpl total in *.
        replace (pi_star h s 0%nat) with 1 by lra.
        replace (pi 1 eta (fun k' => Q k' h s) k 0%nat) with 1 by lra. ring.
      + apply Rmult_le_pos; [apply sqrt_pos | apply Rlt_le, Rinv_0_lt_compat; lra].
    - assert (0 < ln (INR A)) as L_positive.
      { rewrite <- ln_1. apply ln_increasing; [lra|].
        change 1 with (INR 1). apply lt_INR. lia. }
      set (L := ln (INR A)) in *.
      pose proof (weights_regret A eta (INR H) eta_positive (pos_INR H) (fun k' => Q k' h s)
                    actions (fun k' => inside k' h s) K (pi_star h s) (policies h s)) as regret.
      fold L in regret.
      assert (0 < 2 * L / (INR H * (INR K * INR H))) as ratio.
      { apply Rdiv_lt_0_compat; [lra|]. repeat apply Rmult_lt_0_compat; lra. }
      assert (0 < eta) as eta_strict by (apply sqrt_lt_R0; assumption).
      assert (eta * eta = 2 * L / (INR H * (INR K * INR H))) as eta_squared
        by (apply sqrt_sqrt; lra).
      apply Rmult_le_reg_l with eta; [assumption|]. apply Rle_trans with (1 := regret).
      (* eta sqrt(2 H^3 T ln A)/H = 2 ln A = ln A + eta^2 K H^2/2 *)
      assert (eta * (most / INR H) = 2 * L) as balanced.
      { unfold most. fold L. unfold Rdiv. rewrite <- Rmult_assoc. unfold eta, step_size. fold L.
        rewrite <- sqrt_mult_alt by lra.
        replace (2 * L / (INR H * (INR K * INR H)) * (2 * INR H ^ 3 * (INR K * INR H) * L))
          with ((2 * L * INR H) * (2 * L * INR H)) by (field; split; lra).
        rewrite sqrt_square by (apply Rmult_le_pos; lra). field. lra. }
      rewrite balanced.
      replace (eta ^ 2 * INR K * INR H ^ 2 / 2) with (eta * eta * INR K * INR H ^ 2 / 2) by field.
      rewrite eta_squared. right. field. split; lra. }
  (* average over the states, add up the steps *)
  unfold line_i.
  replace most with (total H (fun _ => most / INR H)) by (rewrite total_constant; field; lra).
  rewrite total_swapped. apply total_at_most. intros h _. rewrite total_swapped.
  replace (most / INR H) with (total nS (fun s => most / INR H * d h s))
    by (rewrite total_scaled, (proj2 (laws h)); ring).
  apply total_at_most. intros s state. rewrite total_scaled, (Rmult_comm (most / INR H)).
  apply Rmult_le_compat_l; [apply laws; assumption | apply each].
Qed.

(* ---- the mutants ---- *)

(* exp (3/4) = exp (3/32)^8 >= (35/32)^8 > 2 *)
Lemma logarithm_of_2 : 0 < ln 2 < 3 / 4.
Proof.
  split; [rewrite <- ln_1; apply ln_increasing; lra|].
  rewrite <- (ln_exp (3 / 4)). apply ln_increasing; [lra|].
  replace (3 / 4)
    with (3 / 32 + 3 / 32 + (3 / 32 + 3 / 32) + (3 / 32 + 3 / 32 + (3 / 32 + 3 / 32))) by field.
  rewrite !exp_plus. pose proof (exp_ineq1_le (3 / 32)) as low.
  set (e := exp (3 / 32)) in *.
  assert ((35 / 32) ^ 2 <= e ^ 2) by (apply pow_incr; lra).
  assert (((35 / 32) ^ 2) ^ 2 <= (e ^ 2) ^ 2) by (apply pow_incr; lra).
  assert ((((35 / 32) ^ 2) ^ 2) ^ 2 <= ((e ^ 2) ^ 2) ^ 2) by (apply pow_incr; lra).
  replace (e * e * (e * e) * (e * e * (e * e))) with (((e ^ 2) ^ 2) ^ 2) by ring. lra.
Qed.

(* A quarter in place of 2 under the root: K = H = S = 1, A = 2, Q = (1, 0). *)
Theorem mirror_descent_mutant :
  ~ (forall (A K H nS : nat) (d : nat -> nat -> R)
            (pi_star : nat -> nat -> nat -> R) (Q : nat -> nat -> nat -> nat -> R),
     legal A K H nS d pi_star Q ->
     line_i A K H nS (step_size A K H) d pi_star Q
       <= sqrt (1 / 4 * INR H ^ 3 * (INR K * INR H) * ln (INR A))).
Proof.
  intro claim.
  specialize (claim 2%nat 1%nat 1%nat 1%nat (fun _ _ => 1)
    (fun _ _ a => match a with O => 1 | _ => 0 end)
    (fun _ _ _ a => match a with O => 1 | _ => 0 end)).
  match type of claim with ?premise -> _ => assert premise as fits end.
  { unfold legal, distribution. split; [lia|]. split; [lia|]. split; [lia|].
    split; [intros h; split; [intros; lra | simpl; lra]|].
    split; [intros h s; split; [intros [|a] _; lra | simpl; lra]|].
    intros k h s [|a] _; simpl; lra. }
  specialize (claim fits). unfold line_i, inner in claim. simpl in claim.
  pose proof logarithm_of_2 as L_bounds.
  assert (sqrt (1 / 4 * (1 * (1 * (1 * 1))) * (1 * 1) * ln (1 + 1)) < 1 / 2); [|lra].
  rewrite <- (sqrt_pow2 (1 / 2)) by lra. apply sqrt_lt_1_alt.
  replace (1 + 1) with 2 by ring. lra.
Qed.

(* eta K H^2/20 in place of eta K H^2/2 for one state and step: the same, with eta = 4. *)
Theorem weights_regret_mutant :
  ~ (forall (A : nat) (eta H : R), 0 <= eta -> 0 <= H -> forall Q : nat -> nat -> R,
     (1 <= A)%nat -> (forall k a, (a < A)%nat -> 0 <= Q k a <= H) ->
     forall (K : nat) (pi_star : nat -> R), distribution A pi_star ->
     eta * total K (fun k => inner A (Q k) (fun a => pi_star a - pi A eta Q k a))
       <= ln (INR A) + eta ^ 2 * INR K * H ^ 2 / 20).
Proof.
  intro claim.
  specialize (claim 2%nat 4 1 ltac:(lra) ltac:(lra) (fun _ a => match a with O => 1 | _ => 0 end)
    ltac:(lia)).
  match type of claim with ?premise -> _ => assert premise as fits end.
  { intros _ a _. destruct a; lra. }
  specialize (claim fits 1%nat (fun a => match a with O => 1 | _ => 0 end)).
  match type of claim with ?premise -> _ => assert premise as policy end.
  { split; [intros a _; destruct a; lra | simpl; lra]. }
  specialize (claim policy). pose proof logarithm_of_2. unfold inner in claim. simpl in claim.
  replace (1 + 1) with 2 in claim by ring. lra.
Qed.

(* The axioms of all theorems of this file. *)
Definition checked :=
  (weights_regret, mirror_descent, mirror_descent_mutant, weights_regret_mutant).

Print Assumptions checked.
