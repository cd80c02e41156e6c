(* vietri2020/claim-1, corrected: one user replaced changes each family of streams by at most 2H,
   and all three together by at most 6H; two users attain all of it under every policy when S >= 2.
   The printed H is refuted.

   Argument. In step h the old user adds to one entry of a family, the new user to one entry. By the
   triangle inequality the l1 change of the step is at most what the two add, each at most 1 (a
   reward lies in [0, 1]): 2 in a step, 2H in an episode. The old user who stays in state 0 and the
   new user who stays in state 1, both with rewards 1, never add to the same entry, so nothing
   cancels: exactly 2 in every step. One state and one action would do for neither: where S = 1 the
   entries are the same. *)

Require Import Reals Lra Lia List Arith.
Require Import finite.
Open Scope R_scope.

(* What a user's tree of answers and the policies of the episode give: in step h (numbered from 0)
   the state, the action, and the reward; the next state is that of step h + 1. *)
Record trajectory := { state : nat -> nat; action : nat -> nat; reward : nat -> R }.

Definition possible (S A H : nat) (u : trajectory) : Prop :=
  (forall h, (h <= H)%nat -> (state u h < S)%nat) /\
  (forall h, (h < H)%nat -> (action u h < A)%nat /\ 0 <= reward u h <= 1).

Definition follows (H : nat) (policy : nat -> nat -> nat) (u : trajectory) : Prop :=
  forall h, (h < H)%nat -> action u h = policy h (state u h).

(* The entries of the three families to which a user adds in step h. *)
Definition one_if (b : bool) : R := if b then 1 else 0.
Definition visit (u : trajectory) (h s a : nat) : R :=
  one_if (Nat.eqb s (state u h)) * one_if (Nat.eqb a (action u h)).
Definition move (u : trajectory) (h s a s' : nat) : R := visit u h s a * one_if
  (Nat.eqb s' (state u (h + 1))).
Definition earned (u : trajectory) (h s a : nat) : R := visit u h s a * reward u h.

(* The l1 change of a family when user u is replaced by user v. *)
Definition upto (n : nat) (f : nat -> R) : R := sum (seq 0 n) f.
Definition change_of_visits (S A H : nat) (u v : trajectory) : R :=
  upto H (fun h => upto S (fun s => upto A (fun a => Rabs (visit u h s a - visit v h s a)))).
Definition change_of_moves (S A H : nat) (u v : trajectory) : R :=
  upto H (fun h => upto S (fun s => upto A (fun a => upto S (fun s' =>
    Rabs (move u h s a s' - move v h s a s'))))).
Definition change_of_rewards (S A H : nat) (u v : trajectory) : R :=
  upto H (fun h => upto S (fun s => upto A (fun a => Rabs (earned u h s a - earned v h s a)))).

Lemma upto_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> upto n f <= upto n g.
Proof. intro below. apply sum_le. intros i i_in. apply in_seq in i_in. apply below. lia. Qed.

Lemma upto_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> upto n f = upto n g.
Proof. intro same. apply sum_ext. intros i i_in. apply in_seq in i_in. apply same. lia. Qed.

Lemma upto_plus n f g : upto n (fun i => f i + g i) = upto n f + upto n g.
Proof. apply sum_plus. Qed.

Lemma upto_const n c : upto n (fun _ => c) = INR n * c.
Proof. unfold upto. rewrite sum_const, seq_length. reflexivity. Qed.

(* A family's row of one entry: c at the entry i, nothing elsewhere. *)
Lemma upto_one n i c : (i < n)%nat -> upto n (fun x => one_if (Nat.eqb x i) * c) = c.
Proof.
  intro inside. unfold upto.
  rewrite (sum_ext _ _ (fun x => if Nat.eqb x i then c else 0)).
  - rewrite sum_one. destruct (Nat.leb_spec 0 i), (Nat.ltb_spec i (0 + n)); simpl; try lia. lra.
  - intros x _. unfold one_if. destruct (Nat.eqb x i); lra.
Qed.

Lemma one_if_nonneg b : 0 <= one_if b.
Proof. destruct b; simpl; lra. Qed.

Lemma visit_nonneg u h s a : 0 <= visit u h s a.
Proof. apply Rmult_le_pos; apply one_if_nonneg. Qed.

(* What a user adds to a family in one step, over all of its entries. *)
Lemma adds_visit S A H u h c :
  possible S A H u -> (h < H)%nat -> upto S (fun s => upto A (fun a => visit u h s a * c)) = c.
Proof.
  intros [states actions] step.
  rewrite (upto_ext S _ (fun s => one_if (Nat.eqb s (state u h)) * c)).
  - apply upto_one. apply states. lia.
  - intros s _. rewrite (upto_ext A _ (fun a => one_if (Nat.eqb a (action u h)) *
      (one_if (Nat.eqb s (state u h)) * c))).
    + apply upto_one. apply actions. exact step.
    + intros a _. unfold visit. ring.
Qed.

Lemma adds_move S A H u h :
  possible S A H u -> (h < H)%nat ->
  upto S (fun s => upto A (fun a => upto S (fun s' => move u h s a s'))) = 1.
Proof.
  intros fits step. rewrite (upto_ext S _ (fun s => upto A (fun a => visit u h s a * 1))).
  - apply (adds_visit S A H); assumption.
  - intros s _. apply upto_ext. intros a _.
    rewrite (upto_ext S _ (fun s' => one_if (Nat.eqb s' (state u (h + 1))) * (visit u h s a * 1))).
    + apply upto_one. apply fits. lia.
    + intros s' _. unfold move. ring.
Qed.

Lemma apart_le x y : 0 <= x -> 0 <= y -> Rabs (x - y) <= x + y.
Proof. intros. unfold Rabs. destruct (Rcase_abs (x - y)); lra. Qed.

Lemma apart_eq x y : 0 <= x -> 0 <= y -> x * y = 0 -> Rabs (x - y) = x + y.
Proof.
  intros x_nonneg y_nonneg product. destruct (Rmult_integral _ _ product) as [zero | zero]; subst.
  - rewrite Rabs_left1; lra.
  - rewrite Rabs_right; lra.
Qed.

Lemma visits_at_most S A H u v :
  possible S A H u -> possible S A H v -> change_of_visits S A H u v <= 2 * INR H.
Proof.
  intros fits_u fits_v. unfold change_of_visits.
  replace (2 * INR H) with (upto H (fun _ => 2)) by (rewrite upto_const; ring).
  apply upto_le. intros h step.
  replace 2 with (upto S (fun s => upto A (fun a => visit u h s a * 1)) +
                  upto S (fun s => upto A (fun a => visit v h s a * 1)))
    by (rewrite !(adds_visit S A H); auto; ring).
  rewrite <- upto_plus. apply upto_le. intros s _. rewrite <- upto_plus. apply upto_le. intros a _.
  rewrite !Rmult_1_r. apply apart_le; apply visit_nonneg.
Qed.

Lemma moves_at_most S A H u v :
  possible S A H u -> possible S A H v -> change_of_moves S A H u v <= 2 * INR H.
Proof.
  intros fits_u fits_v. unfold change_of_moves.
  replace (2 * INR H) with (upto H (fun _ => 2)) by (rewrite upto_const; ring).
  apply upto_le. intros h step.
  replace 2 with (upto S (fun s => upto A (fun a => upto S (fun s' => move u h s a s'))) +
                  upto S (fun s => upto A (fun a => upto S (fun s' => move v h s a s'))))
    by (rewrite !(adds_move S A H); auto; ring).
  rewrite <- upto_plus. apply upto_le. intros s _. rewrite <- upto_plus. apply upto_le. intros a _.
  rewrite <- upto_plus. apply upto_le. intros s' _.
  apply apart_le; apply Rmult_le_pos; auto using visit_nonneg, one_if_nonneg.
Qed.

Lemma rewards_at_most S A H u v :
  possible S A H u -> possible S A H v -> change_of_rewards S A H u v <= 2 * INR H.
Proof.
  intros fits_u fits_v. unfold change_of_rewards.
  replace (2 * INR H) with (upto H (fun _ => 2)) by (rewrite upto_const; ring).
  apply upto_le. intros h step.
  destruct fits_u as [states_u actions_u] eqn:same_u, fits_v as [states_v actions_v] eqn:same_v.
  destruct (actions_u h step) as [_ reward_u], (actions_v h step) as [_ reward_v].
  apply Rle_trans with (upto S (fun s => upto A (fun a => visit u h s a * reward u h)) +
                        upto S (fun s => upto A (fun a => visit v h s a * reward v h))).
  - rewrite <- upto_plus. apply upto_le. intros s _. rewrite <- upto_plus. apply upto_le.
    intros a _.
    apply apart_le; apply Rmult_le_pos; try apply visit_nonneg; lra.
  - rewrite !(adds_visit S A H); auto; lra.
Qed.

(* The user who stays in one state, has reward 1, and does what the policy says. *)
Definition stays (policy : nat -> nat -> nat) (s : nat) : trajectory :=
  {| state := fun _ => s; action := fun h => policy h s; reward := fun _ => 1 |}.

Lemma nothing_cancels policy h s a : visit (stays policy 0) h s a * visit (stays policy 1) h s a =
  0.
Proof.
  unfold visit, one_if; simpl. destruct (Nat.eqb_spec s 0), (Nat.eqb_spec s 1); try lia; ring.
Qed.

Theorem claim_1 : forall S A H : nat,
  (forall u v, possible S A H u -> possible S A H v ->
     change_of_visits S A H u v <= 2 * INR H /\
     change_of_moves S A H u v <= 2 * INR H /\
     change_of_rewards S A H u v <= 2 * INR H /\
     change_of_visits S A H u v + change_of_moves S A H u v + change_of_rewards S A H u v <=
       6 * INR H) /\
  ((2 <= S)%nat -> forall policy, (forall h s, (policy h s < A)%nat) ->
     exists u v, possible S A H u /\ possible S A H v /\ follows H policy u /\ follows H policy v /\
       change_of_visits S A H u v = 2 * INR H /\
       change_of_moves S A H u v = 2 * INR H /\
       change_of_rewards S A H u v = 2 * INR H).
Proof.
  intros S A H. split.
  - intros u v fits_u fits_v.
    pose proof (visits_at_most S A H u v fits_u fits_v).
    pose proof (moves_at_most S A H u v fits_u fits_v).
    pose proof (rewards_at_most S A H u v fits_u fits_v).
    repeat split; lra.
  - intros two policy allowed. exists (stays policy 0), (stays policy 1).
    assert (fits_0 : possible S A H (stays policy 0)).
    { split; simpl; intros h _; [lia | split; [apply allowed | lra]]. }
    assert (fits_1 : possible S A H (stays policy 1)).
    { split; simpl; intros h _; [lia | split; [apply allowed | lra]]. }
    assert (visits : change_of_visits S A H (stays policy 0) (stays policy 1) = 2 * INR H).
    { unfold change_of_visits. replace (2 * INR H) with
      (upto H (fun _ => 2)) by (rewrite upto_const; ring).
      apply upto_ext. intros h step.
      replace 2 with (upto S (fun s => upto A (fun a => visit (stays policy 0) h s a * 1)) +
                      upto S (fun s => upto A (fun a => visit (stays policy 1) h s a * 1)))
        by (rewrite !(adds_visit S A H); auto; ring).
      rewrite <- upto_plus. apply upto_ext. intros s _. rewrite <- upto_plus. apply upto_ext.
      intros a _.
      rewrite !Rmult_1_r. apply apart_eq; auto using visit_nonneg, nothing_cancels. }
    refine (conj fits_0 (conj fits_1 (conj _ (conj _ (conj visits (conj _ _)))))).
    + intros h _. reflexivity.
    + intros h _. reflexivity.
    + unfold change_of_moves. replace (2 * INR H) with
        (upto H (fun _ => 2)) by (rewrite upto_const; ring).
      apply upto_ext. intros h step.
      replace 2 with
        (upto S (fun s => upto A (fun a => upto S (fun s' => move (stays policy 0) h s a s'))) +
         upto S (fun s => upto A (fun a => upto S (fun s' => move (stays policy 1) h s a s'))))
        by (rewrite !(adds_move S A H); auto; ring).
      rewrite <- upto_plus. apply upto_ext. intros s _. rewrite <- upto_plus. apply upto_ext.
      intros a _.
      rewrite <- upto_plus. apply upto_ext. intros s' _.
      apply apart_eq; try (apply Rmult_le_pos; auto using visit_nonneg, one_if_nonneg).
      unfold move. rewrite <- Rmult_assoc, (Rmult_comm (_ * _) (visit _ _ _ _)), <- Rmult_assoc.
      rewrite (Rmult_comm (visit (stays policy 1) h s a)), nothing_cancels. ring.
    + rewrite <- visits. unfold change_of_rewards, change_of_visits.
      apply upto_ext. intros h _. apply upto_ext. intros s _. apply upto_ext. intros a _.
      unfold earned. simpl. rewrite !Rmult_1_r. reflexivity.
Qed.

(* The printed bound: H in each family. *)
Theorem claim_1_not_H : ~ (forall S A H u v, possible S A H u -> possible S A H v ->
  change_of_visits S A H u v <= INR H).
Proof.
  intro printed.
  destruct (claim_1 2 1 10) as [_ attained].
  destruct (attained (le_n 2) (fun _ _ => 0%nat) (fun _ _ => le_n 1)) as
    (u & v & fits_u & fits_v & _ & _ & far & _).
  pose proof (printed 2%nat 1%nat 10%nat u v fits_u fits_v) as bound.
  rewrite far in bound. simpl in bound. lra.
Qed.

(* No constant below 2 will do for any family, for any number of steps, under any policy. *)
Theorem claim_1_not_less_than_2H : forall c, c < 2 -> forall S A H, (2 <= S)%nat -> (1 <= H)%nat ->
  forall policy, (forall h s, (policy h s < A)%nat) ->
  exists u v, possible S A H u /\ possible S A H v /\ follows H policy u /\ follows H policy v /\
    c * INR H < change_of_visits S A H u v /\
    c * INR H < change_of_moves S A H u v /\
    c * INR H < change_of_rewards S A H u v.
Proof.
  intros c less S A H two steps policy allowed.
  destruct (claim_1 S A H) as [_ attained].
  destruct (attained two policy allowed) as
    (u & v & fits_u & fits_v & own_u & own_v & visits & moves & rewards).
  assert (0 < INR H) by (apply lt_0_INR; lia).
  assert (c * INR H < 2 * INR H) by (apply Rmult_lt_compat_r; assumption).
  exists u, v. rewrite visits, moves, rewards. repeat (split; [assumption |]). assumption.
Qed.

(* Not so at 2: that is claim_1. *)
Theorem claim_1_nobody_exceeds_2H : ~ (exists S A H u v, possible S A H u /\ possible S A H v /\
  (2 * INR H < change_of_visits S A H u v \/ 2 * INR H < change_of_moves S A H u v \/
   2 * INR H < change_of_rewards S A H u v)).
Proof.
  intros (S & A & H & u & v & fits_u & fits_v & far).
  destruct (claim_1 S A H) as [bound _].
  destruct (bound u v fits_u fits_v) as (visits & moves & rewards & _). lra.
Qed.
