(* chowdhury2021, the optimistic choice keeps D free of H, for one state (n = 1) and noise of any
   variance at each step: on the good event P~ <= ||Q|| / (1 - C_A^2), for every H.

   With tau steps to go the Riccati recursion (4) is, for n = 1,

     P(0) = 0,   P(tau + 1) = q + a^2 P(tau) / (1 + s P(tau)),   s = B R^-1 B' >= 0.

   Call the map f for the choice Theta~ (a~ and s~), g for Theta_* (a* and s* here), where
   a*^2 <= C_A^2 < 1, and D = q/(1 - C_A^2). The optimal cost from x_1 is
   P(H) x_1^2 + sum_{h<H} Var(w_h) P(H - h), and on the good event the choice promises at most the
   true one: J~ <= J*. Both f and g grow, P~(1) = P*(1) = q, and q <= P*(j) <= D for j >= 1.
   For p >= 0

     f(p) - g(p) = p l(p) / ((1 + s~ p) (1 + s* p)),   l(p) = a~^2 (1 + s* p) - a*^2 (1 + s~ p),

   and l is linear. Three cases, q > 0:
   1. l(q) <= 0. Then a~^2/(1 + s~ q) <= a*^2/(1 + s* q) <= C_A^2, so f(p) <= q + C_A^2 p for
      p >= q, and P~ never exceeds D.
   2. l(D) <= 0. Then f(D) <= g(D) <= q + C_A^2 D = D, and as f grows P~ never exceeds D.
   3. Otherwise l > 0, so f > g, on all of [q, D]: P~(j) > P*(j) for every j >= 2, and
      J~ > J* unless J weighs no P(j), j >= 2. *)

Require Import Reals Lra Lia.
Require Import totals.
Open Scope R_scope.

Lemma total_less : forall k f g i,
  (forall j, (j < k)%nat -> f j <= g j) -> (i < k)%nat -> f i < g i -> total k f < total k g.
Proof.
  induction k as [|k less]; intros f g i below inside strict; [lia|]. simpl.
  pose proof (below k ltac:(lia)). destruct (Nat.eq_dec i k) as [same | other].
  - subst i. assert (total k f <= total k g); [|lra].
    apply total_at_most. intros. apply below. lia.
  - assert (total k f < total k g); [|lra].
    apply (less f g i); [intros; apply below | | assumption]; lia.
Qed.

(* One step of the recursion, and the recursion, with tau steps to go. *)
Definition riccati (q a s p : R) : R := q + a ^ 2 * p / (1 + s * p).

Fixpoint P (q a s : R) (tau : nat) : R :=
  match tau with
  | O => 0
  | S before => riccati q a s (P q a s before)
  end.

(* (4) for one state and one control, with s = B^2/R. *)
Lemma riccati_is_4 : forall Q R A B p : R, 0 < R -> 0 <= p ->
  Q + A * p * A - A * p * B * / (R + B * p * B) * B * p * A = riccati Q A (B ^ 2 / R) p.
Proof.
  intros Q R A B p R_positive p_positive. unfold riccati.
  assert (0 <= B ^ 2 * p) by (apply Rmult_le_pos; [apply pow2_ge_0 | assumption]).
  field. repeat split; try lra. 
Qed.

(* The cost from x_1 with H steps to go; the noise of step h + 1 < H meets H - (h + 1) steps. *)
Definition J (H : nat) (q a s x : R) (variance : nat -> R) : R :=
  P q a s H * x ^ 2 + total (H - 1) (fun h => variance h * P q a s (H - S h)).

Section Maps.

Variables q a s : R.
Hypothesis q_positive : 0 <= q.
Hypothesis s_positive : 0 <= s.

Lemma denominator : forall p, 0 <= p -> 0 < 1 + s * p.
Proof. intros p p_positive. pose proof (Rmult_le_pos s p s_positive p_positive). lra. Qed.

Lemma grows : forall p p', 0 <= p <= p' -> riccati q a s p <= riccati q a s p'.
Proof.
  intros p p' order. unfold riccati.
  pose proof (denominator p ltac:(lra)). pose proof (denominator p' ltac:(lra)).
  assert (a ^ 2 * p' / (1 + s * p') - a ^ 2 * p / (1 + s * p)
          = a ^ 2 * (p' - p) * / ((1 + s * p) * (1 + s * p'))) as difference
    by (field; split; lra).
  assert (0 <= a ^ 2 * (p' - p) * / ((1 + s * p) * (1 + s * p'))); [|lra].
  apply Rmult_le_pos; [apply Rmult_le_pos; [apply pow2_ge_0 | lra]|].
  apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat; assumption.
Qed.

Lemma at_least : forall p, 0 <= p -> q <= riccati q a s p.
Proof.
  intros p p_positive. replace q with (riccati q a s 0) at 1 by (unfold riccati; field; lra).
  apply grows. lra.
Qed.

Lemma P_at_least : forall tau, 0 <= P q a s tau /\ q <= P q a s (S tau).
Proof.
  induction tau as [|tau [_ large]].
  - split; [simpl; lra | simpl; apply at_least; lra].
  - split; [lra|]. change (q <= riccati q a s (P q a s (S tau))). apply at_least. lra.
Qed.

(* A bound that the map keeps is a bound of the recursion. *)
Lemma kept : forall D, 0 <= D -> (forall p, 0 <= p <= D -> riccati q a s p <= D) ->
  forall tau, P q a s tau <= D.
Proof.
  intros D D_positive keeps. induction tau as [|tau below]; [simpl; assumption|].
  simpl. apply keeps. split; [apply P_at_least | assumption].
Qed.

End Maps.

Section Choice.

Variables q C : R.
Variables a s : R.                       (* the optimistic choice *)
Variables a' s' : R.                     (* the truth *)
Hypothesis q_positive : 0 <= q.
Hypothesis s_positive : 0 <= s.
Hypothesis s'_positive : 0 <= s'.
Hypothesis a'_small : a' ^ 2 <= C ^ 2.
Hypothesis C_small : C ^ 2 < 1.

Definition D : R := q / (1 - C ^ 2).

Definition l (p : R) : R := a ^ 2 * (1 + s' * p) - a' ^ 2 * (1 + s * p).

Lemma D_fixed : q + C ^ 2 * D = D.
Proof. unfold D. field. lra. Qed.

Lemma D_positive : 0 <= D.
Proof. unfold D. apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat]; lra. Qed.

Lemma D_at_least : q <= D.
Proof.
  pose proof D_fixed.
  pose proof (Rmult_le_pos (C ^ 2) D (pow2_ge_0 C) D_positive). lra.
Qed.

Lemma difference : forall p, 0 <= p ->
  riccati q a s p - riccati q a' s' p = p * l p * / ((1 + s * p) * (1 + s' * p)).
Proof.
  intros p p_positive. unfold riccati, l.
  pose proof (denominator s s_positive p p_positive).
  pose proof (denominator s' s'_positive p p_positive). field. split; lra.
Qed.

Lemma weight_positive : forall p, 0 <= p -> 0 < / ((1 + s * p) * (1 + s' * p)).
Proof.
  intros p p_positive. apply Rinv_0_lt_compat, Rmult_lt_0_compat; apply denominator; assumption.
Qed.

(* The truth: the quotient is at most C^2 p. *)
Lemma truth_step : forall p, 0 <= p -> riccati q a' s' p <= q + C ^ 2 * p.
Proof.
  intros p p_positive. unfold riccati.
  pose proof (denominator s' s'_positive p p_positive).
  apply Rplus_le_compat_l. apply Rmult_le_reg_r with (1 + s' * p); [assumption|].
  replace (a' ^ 2 * p / (1 + s' * p) * (1 + s' * p)) with (a' ^ 2 * p) by (field; lra).
  assert (a' ^ 2 * p <= C ^ 2 * p) by (apply Rmult_le_compat_r; assumption).
  assert (0 <= C ^ 2 * p * (s' * p)).
  { apply Rmult_le_pos; apply Rmult_le_pos; try assumption. apply pow2_ge_0. }
  lra.
Qed.

Lemma truth_bounded : forall tau, P q a' s' tau <= D.
Proof.
  apply kept; try assumption; [exact D_positive|]. intros p bounds.
  apply Rle_trans with (1 := truth_step p ltac:(lra)).
  apply Rle_trans with (q + C ^ 2 * D); [|right; exact D_fixed].
  apply Rplus_le_compat_l, Rmult_le_compat_l; [apply pow2_ge_0 | lra].
Qed.

(* Case 1 *)
Lemma low : l q <= 0 -> forall tau, P q a s tau <= D.
Proof.
  intros below.
  pose proof (denominator s s_positive q q_positive) as positive.
  pose proof (denominator s' s'_positive q q_positive) as positive'.
  assert (a ^ 2 <= C ^ 2 * (1 + s * q)) as gain.
  { apply Rmult_le_reg_r with (1 + s' * q); [assumption|].
    assert (a' ^ 2 * (1 + s * q) <= C ^ 2 * (1 + s * q)) by (apply Rmult_le_compat_r; lra).
    assert (0 <= C ^ 2 * (1 + s * q) * (s' * q)).
    { apply Rmult_le_pos; apply Rmult_le_pos; try assumption; [apply pow2_ge_0 | lra]. }
    unfold l in below. lra. }
  assert (forall p, 0 <= p -> q <= p -> riccati q a s p <= q + C ^ 2 * p) as step.
  { intros p p_positive large. unfold riccati. pose proof (denominator s s_positive p p_positive).
    apply Rplus_le_compat_l. apply Rmult_le_reg_r with (1 + s * p); [assumption|].
    replace (a ^ 2 * p / (1 + s * p) * (1 + s * p)) with (a ^ 2 * p) by (field; lra).
    assert (a ^ 2 * p <= C ^ 2 * (1 + s * q) * p) by (apply Rmult_le_compat_r; assumption).
    assert (0 <= C ^ 2 * p * (s * (p - q))).
    { apply Rmult_le_pos; apply Rmult_le_pos; try assumption; [apply pow2_ge_0 | lra]. }
    lra. }
  assert (forall tau, q <= P q a s (S tau) <= D) as bounds.
  { induction tau as [|tau inside].
    - split; [apply P_at_least; assumption|].
      simpl. unfold riccati. replace (q + a ^ 2 * 0 / (1 + s * 0)) with q by (field; lra).
      exact D_at_least.
    - split; [apply P_at_least; assumption|].
      change (riccati q a s (P q a s (S tau)) <= D).
      apply Rle_trans with (1 := step (P q a s (S tau)) ltac:(lra) ltac:(lra)).
      apply Rle_trans with (q + C ^ 2 * D); [|right; exact D_fixed].
      apply Rplus_le_compat_l, Rmult_le_compat_l; [apply pow2_ge_0 | lra]. }
  intros [|tau]; [simpl; exact D_positive | apply bounds].
Qed.

(* Case 2 *)
Lemma high : l D <= 0 -> forall tau, P q a s tau <= D.
Proof.
  intros below. pose proof D_positive as D_positive.
  assert (riccati q a s D <= D) as fixed.
  { pose proof (difference D D_positive) as apart. pose proof (weight_positive D D_positive).
    pose proof (truth_step D D_positive) as step. rewrite D_fixed in step.
    assert (0 <= D * - l D * / ((1 + s * D) * (1 + s' * D)))
      by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
    lra. }
  apply kept; try assumption. intros p bounds.
  apply Rle_trans with (riccati q a s D); [apply grows; assumption | assumption].
Qed.

(* Case 3 *)
Lemma between : 0 < q -> 0 < l q -> 0 < l D ->
  forall j, P q a' s' (S j) <= P q a s (S j) /\ P q a' s' (S (S j)) < P q a s (S (S j)).
Proof.
  intros q_strict left_end right_end.
  assert (forall p, q <= p <= D -> riccati q a' s' p < riccati q a s p) as above.
  { intros p bounds. pose proof (difference p ltac:(lra)) as apart.
    assert (0 < l p) as positive.
    { assert (0 <= (p - q) * l D + (D - p) * l q) as ends
        by (apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra).
      destruct (Req_dec D q) as [same | wide]; [replace p with q by lra; assumption|].
      apply Rmult_lt_reg_l with (D - q); [lra|].
      replace ((D - q) * l p) with ((p - q) * l D + (D - p) * l q) by (unfold l; ring).
      rewrite Rmult_0_r.
      destruct (Req_dec p q) as [first | later].
      - rewrite first. replace ((q - q) * l D + (D - q) * l q) with ((D - q) * l q) by ring.
        apply Rmult_lt_0_compat; lra.
      - assert (0 < (p - q) * l D) by (apply Rmult_lt_0_compat; lra).
        assert (0 <= (D - p) * l q) by (apply Rmult_le_pos; lra). lra. }
    assert (0 < p * l p * / ((1 + s * p) * (1 + s' * p))); [|lra].
    apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; lra | apply weight_positive; lra]. }
  assert (forall j, P q a' s' (S j) <= P q a s (S j)) as ordered.
  { induction j as [|j order].
    - simpl. unfold riccati. right. field.
    - change (riccati q a' s' (P q a' s' (S j)) <= riccati q a s (P q a s (S j))).
      assert (q <= P q a' s' (S j) <= D) as inside.
      { split; [apply P_at_least; assumption | apply truth_bounded]. }
      apply Rle_trans with (riccati q a s (P q a' s' (S j))); [apply Rlt_le, above; assumption|].
      apply grows; lra. }
  intro j. split; [apply ordered|].
  change (riccati q a' s' (P q a' s' (S j)) < riccati q a s (P q a s (S j))).
  assert (q <= P q a' s' (S j) <= D) as inside.
  { split; [apply P_at_least; assumption | apply truth_bounded]. }
  apply Rlt_le_trans with (riccati q a s (P q a' s' (S j))); [apply above; assumption|].
  apply grows; try assumption. split; [lra | apply ordered].
Qed.

End Choice.

(* J is not constant where x_1 or the noise of one of the first H - 2 steps is not 0 (and H > 1). *)
Theorem one_state : forall (H : nat) (q C a s a' s' x : R) (variance : nat -> R),
  0 <= q -> 0 <= s -> 0 <= s' -> a' ^ 2 <= C ^ 2 -> C ^ 2 < 1 ->
  (forall h, (h < H - 1)%nat -> 0 <= variance h) ->
  ((2 <= H)%nat /\ x <> 0) \/ (exists h, (h < H - 2)%nat /\ 0 < variance h) ->
  J H q a s x variance <= J H q a' s' x variance ->
  forall tau, P q a s tau <= q / (1 - C ^ 2).
Proof.
  intros H q C a s a' s' x variance q_positive s_positive s'_positive a'_small C_small
    not_negative varies optimistic.
  fold (D q C).
  destruct (Rle_dec (l a s a' s' q) 0) as [first | left_end];
    [apply (low q C a s a' s'); assumption|].
  destruct (Rle_dec (l a s a' s' (D q C)) 0) as [second | right_end];
    [apply (high q C a s a' s'); assumption|].
  destruct q_positive as [q_strict | q_zero].
  - exfalso. assert (0 <= q) as q_positive by lra.
    pose proof (between q C a s a' s' q_positive s_positive s'_positive a'_small C_small q_strict
                  ltac:(lra) ltac:(lra)) as order.
    pose proof (pow2_ge_0 x) as square.
    assert (forall h, (h < H - 1)%nat ->
      variance h * P q a' s' (H - S h) <= variance h * P q a s (H - S h)) as terms.
    { intros h inside. apply Rmult_le_compat_l; [apply not_negative; assumption|].
      replace (H - S h)%nat with (S (H - S (S h))) by lia. apply order. }
    unfold J in optimistic.
    destruct varies as [[steps start] | [h [early noisy]]].
    + assert (P q a' s' H * x ^ 2 < P q a s H * x ^ 2).
      { apply Rmult_lt_compat_r.
        - destruct square as [positive | zero]; [assumption|].
          exfalso. apply start. apply Rsqr_0_uniq. unfold Rsqr. lra.
        - replace H with (S (S (H - 2))) by lia. apply order. }
      pose proof (total_at_most _ _ _ terms). lra.
    + assert (P q a' s' H * x ^ 2 <= P q a s H * x ^ 2).
      { apply Rmult_le_compat_r; [assumption|]. replace H with (S (H - 1)) by lia. apply order. }
      assert (variance h * P q a' s' (H - S h) < variance h * P q a s (H - S h)) as strict.
      { apply Rmult_lt_compat_l; [assumption|].
        replace (H - S h)%nat with (S (S (H - S (S (S h))))) by lia. apply order. }
      pose proof (total_less _ _ _ h terms ltac:(lia) strict). lra.
  - subst q. intro tau. apply kept; try lra.
    + apply D_positive; lra.
    + intros p bounds. unfold D in *.
      replace (0 / (1 - C ^ 2)) with 0 in * by (field; lra).
      replace p with 0 by lra. unfold riccati. right. field.
Qed.

(* The mutant: 0.99 of the bound. The choice is the truth, a = C = 1/10, B = 0, and P(2) = 1.01. *)
Theorem one_state_mutant :
  ~ (forall (H : nat) (q C a s a' s' x : R) (variance : nat -> R),
     0 <= q -> 0 <= s -> 0 <= s' -> a' ^ 2 <= C ^ 2 -> C ^ 2 < 1 ->
     (forall h, (h < H - 1)%nat -> 0 <= variance h) ->
     ((2 <= H)%nat /\ x <> 0) \/ (exists h, (h < H - 2)%nat /\ 0 < variance h) ->
     J H q a s x variance <= J H q a' s' x variance ->
     forall tau, P q a s tau <= 99 / 100 * (q / (1 - C ^ 2))).
Proof.
  intro claim.
  specialize (claim 2%nat 1 (1 / 10) (1 / 10) 0 (1 / 10) 0 1 (fun _ => 0)).
  assert (P 1 (1 / 10) 0 2 <= 99 / 100 * (1 / (1 - (1 / 10) ^ 2))) as bound.
  { apply claim; try lra; [intros; lra|]. left. split; [lia | lra]. }
  unfold P, riccati in bound. 
  replace (1 + (1 / 10) ^ 2 * (1 + (1 / 10) ^ 2 * 0 / (1 + 0 * 0))
             / (1 + 0 * (1 + (1 / 10) ^ 2 * 0 / (1 + 0 * 0)))) with (101 / 100) in bound by field.
  lra.
Qed.

(* The axioms of all theorems of this file. *)
Definition checked := (one_state, one_state_mutant).

Print Assumptions checked.
