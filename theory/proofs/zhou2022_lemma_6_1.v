(* zhou2022/lemma-6.1: with the logarithm to base 2 it is chowdhury2021/tree-levels; with the
   natural logarithm, which the paper uses elsewhere, it fails, at K = 5 for the first time.

   Argument. At K = 5 the releases are over the episodes 1..4, and the first episode lies in [1, 1],
   [1, 2] and [1, 4]. But ceil(ln 5) = 2, since 1 < ln 5 <= 2: e <= (8/7)^8 < 3 because e^(-1/8) >=
   7/8, and e^2 >= (5/4)^8 > 5. *)

Require Import Reals Lra Lia List.
Require Import chowdhury2021_tree_levels.

(* The number m is the logarithm of K, natural, rounded up. *)
Definition ceiling_of_ln (K m : nat) : Prop := (INR m - 1 < ln (INR K) <= INR m)%R.

(* Property (i) of the lemma, for K episodes and m levels. *)
Definition each_episode_in_at_most (K m : nat) : Prop :=
  forall i (blocks : list block), NoDup blocks ->
    (forall b, In b blocks -> holds b i = true /\ complete b (K - 1)) -> length blocks <= m.

(* Property (ii): at most m partial sums cover [1, k - 1], each episode once, for all k <= K. *)
Definition each_release_of_at_most (K m : nat) : Prop :=
  forall k, 1 <= k <= K -> exists blocks : list block, length blocks <= m /\
    (forall b, In b blocks -> complete b (k - 1)) /\
    (forall i, 1 <= i <= k - 1 -> length (filter (fun b => holds b i) blocks) = 1).

Theorem lemma_6_1 : forall K, 1 <= K ->
  each_episode_in_at_most K (Nat.log2_up K) /\ each_release_of_at_most K (Nat.log2_up K).
Proof.
  intros K one. destruct (tree_levels K one) as (levels & releases & _). split; [exact levels |].
  intros k range. exists (release (k - 1)). apply releases. exact range.
Qed.

Lemma e_below_3 : (exp 1 < 3)%R.
Proof.
  assert (inverse : (1 + - (1 / 8) <= exp (- (1 / 8)))%R) by apply exp_ineq1_le.
  assert (root : (exp (1 / 8) * exp (- (1 / 8)) = 1)%R) by (rewrite <- exp_plus, Rplus_opp_r;
    apply exp_0).
  assert (least : (1 <= exp (1 / 8))%R) by (pose proof (exp_ineq1_le (1 / 8)); lra).
  assert (eighth : (exp (1 / 8) <= 8 / 7)%R).
  { apply (Rmult_le_compat_l (exp (1 / 8))) in inverse; lra. }
  replace 1%R with (1 / 8 + 1 / 8 + (1 / 8 + 1 / 8) + (1 / 8 + 1 / 8 + (1 / 8 + 1 / 8)))%R at 1
    by field.
  rewrite !exp_plus. set (e := exp (1 / 8)) in *.
  assert (two : (0 <= e * e <= 64 / 49)%R) by nra.
  assert (four : (0 <= e * e * (e * e) <= 64 / 49 * (64 / 49))%R) by nra. nra.
Qed.

Lemma ceiling_of_ln_5 : ceiling_of_ln 5 2.
Proof.
  unfold ceiling_of_ln. replace (INR 5) with 5%R by (simpl; ring).
  replace (INR 2) with 2%R by (simpl; ring). split.
  - replace (2 - 1)%R with (ln (exp 1)) by (rewrite ln_exp; ring).
    apply ln_increasing; [apply exp_pos | pose proof e_below_3; lra].
  - replace 2%R with (ln (exp 2)) by apply ln_exp. left. apply ln_increasing; [lra |].
    assert (quarter : (1 + 1 / 4 <= exp (1 / 4))%R) by apply exp_ineq1_le.
    replace 2%R with (1 / 4 + 1 / 4 + (1 / 4 + 1 / 4) + (1 / 4 + 1 / 4 + (1 / 4 + 1 / 4)))%R
      by field.
    rewrite !exp_plus. set (e := exp (1 / 4)) in *.
    assert (two : (25 / 16 <= e * e)%R) by nra.
    assert (four : (625 / 256 <= e * e * (e * e))%R) by nra.
    apply Rlt_le_trans with (625 / 256 * (625 / 256))%R; [lra | apply Rmult_le_compat; lra].
Qed.

(* The printed lemma with the natural logarithm: at K = 5, where ceil(ln 5) = 2. *)
Theorem lemma_6_1_not_natural : ceiling_of_ln 5 2 /\ ~ each_episode_in_at_most 5 2.
Proof.
  split; [exact ceiling_of_ln_5 |]. intro printed. specialize (printed 1).
  destruct (tree_levels 5) as (_ & _ & blocks & once & size & inside); [lia |].
  specialize (printed blocks once inside). rewrite size in printed. compute in printed. lia.
Qed.

(* It first fails there: ceil(ln K) levels are enough for K = 2, 3 and 4. *)
Lemma ceiling_is_one_at_least K m : 2 <= K -> ceiling_of_ln K m -> 1 <= m.
Proof.
  intros two [_ upper]. destruct m as [|m]; [|lia]. simpl in upper.
  assert (positive : (0 < ln (INR K))%R).
  { rewrite <- ln_1. apply ln_increasing; [lra |]. apply (lt_INR 1). lia. }
  lra.
Qed.

Lemma two_at_least K m : 3 <= K -> ceiling_of_ln K m -> 2 <= m.
Proof.
  intros three [_ upper]. destruct (Nat.le_gt_cases 2 m) as [enough | few]; [exact enough |].
  assert (m_one : (INR m <= 1)%R) by (apply (le_INR m 1); lia).
  assert (more : (1 < ln (INR K))%R).
  { rewrite <- (ln_exp 1). apply ln_increasing; [apply exp_pos |].
  apply Rlt_le_trans with 3%R; [apply e_below_3 |].
    replace 3%R with (INR 3) by (simpl; ring). apply le_INR. exact three. }
  lra.
Qed.

Theorem lemma_6_1_natural_up_to_4 : forall K m, 1 <= K <= 4 -> ceiling_of_ln K m ->
  each_episode_in_at_most K m.
Proof.
  intros K m range rounded i blocks once inside.
  destruct (tree_levels K) as (levels & _); [lia |]. specialize (levels i blocks once inside).
  assert (cases : K = 1 \/ K = 2 \/ K = 3 \/ K = 4) by lia.
  destruct cases as [-> | [-> | [-> | ->]]].
  - replace (Nat.log2_up 1) with 0 in levels by reflexivity. lia.
  - replace (Nat.log2_up 2) with 1 in levels by reflexivity.
    pose proof (ceiling_is_one_at_least 2 m ltac:(lia) rounded). lia.
  - replace (Nat.log2_up 3) with 2 in levels by reflexivity.
    pose proof (two_at_least 3 m ltac:(lia) rounded). lia.
  - replace (Nat.log2_up 4) with 2 in levels by reflexivity.
    pose proof (two_at_least 4 m ltac:(lia) rounded). lia.
Qed.
