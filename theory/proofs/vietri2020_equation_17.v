(* vietri2020, equation (17), counted by visits: in T episodes of H steps the visits to tuples
   (s, a, h) that had fewer than 3E visits before the episode number at most SAH ceil(3E), so
   bonuses of at most H add up to at most ceil(3E) SAH^2 over them. For every S, A, H, T, E and all
   plays.

   Fix a tuple. Of its visits those are counted before which it had n < 3E visits. Their number is
   at most n, and it grows only where n < 3E <= k = ceil(3E), that is n <= k - 1: it is at most k.
   Every visit belongs to one of the SAH tuples.

   As printed, "at most 3E SA episodes meet such a tuple", it fails for H = 2: fill one tuple of
   each step first, then the others one by one. What is true is k (H (SA - 1) + 1) in place of it:
   in the first k episodes all tuples are short, which uses up H k of the SAH k short visits, and
   every later episode that meets a short tuple uses at least one. *)

Require Import Reals Lra Lia Arith.
Require Import totals.
Open Scope R_scope.

(* Exactly one term is chosen. *)
Lemma total_chosen : forall k i f, (i < k)%nat ->
  total k (fun j => if i =? j then f j else 0) = f i.
Proof.
  induction k as [|k chosen]; intros i f inside; [lia|]. simpl.
  destruct (Nat.eqb_spec i k) as [same | other].
  - subst i. rewrite (total_same k _ (fun _ => 0)), total_constant; [ring|].
    intros j early. destruct (Nat.eqb_spec k j); [lia | reflexivity].
  - rewrite chosen by lia. ring.
Qed.

Section Play.

Variables nS nA H : nat.                 (* S states, A actions, H steps *)
Variable E : R.
Variables state action : nat -> nat -> nat.   (* of episode t and step h, both from 0 *)

(* n^ before episode t *)
Fixpoint visits (h s a t : nat) : nat :=
  match t with
  | O => 0
  | S i => visits h s a i + (if state i h =? s then if action i h =? a then 1 else 0 else 0)
  end.

(* 1 where the tuple of episode t and step h had fewer than 3E visits, otherwise 0 *)
Definition short (t h : nat) : R :=
  if Rlt_dec (INR (visits h (state t h) (action t h) t)) (3 * E) then 1 else 0.

(* the same for the visits to one tuple *)
Definition short_at (h s a t : nat) : R :=
  if state t h =? s then if action t h =? a
  then if Rlt_dec (INR (visits h s a t)) (3 * E) then 1 else 0
  else 0 else 0.

Lemma one_tuple : forall (k h s a t : nat), 3 * E <= INR k ->
  total t (short_at h s a) <= INR (visits h s a t) /\ total t (short_at h s a) <= INR k.
Proof.
  intros k h s a t large. induction t as [|t [at_most bounded]].
  - simpl. pose proof (pos_INR k). lra.
  - simpl. rewrite plus_INR. unfold short_at at 2 4.
    destruct (state t h =? s), (action t h =? a); simpl; try lra.
    destruct (Rlt_dec (INR (visits h s a t)) (3 * E)) as [few | many]; [|lra].
    assert (INR (visits h s a t) + 1 <= INR k); [|lra].
    rewrite <- S_INR. apply le_INR. apply INR_lt. lra.
Qed.

Lemma every_visit : forall t h, (state t h < nS)%nat -> (action t h < nA)%nat ->
  short t h = total nS (fun s => total nA (fun a => short_at h s a t)).
Proof.
  intros t h state_inside action_inside. unfold short_at.
  rewrite (total_same nS _ (fun s => if state t h =? s then
    total nA (fun a => if action t h =? a then
      if Rlt_dec (INR (visits h s a t)) (3 * E) then 1 else 0 else 0) else 0)).
  2: { intros s _. destruct (state t h =? s); [reflexivity|]. rewrite total_constant. ring. }
  rewrite total_chosen, total_chosen by assumption. reflexivity.
Qed.

End Play.

Definition ceiling (k : nat) (x : R) : Prop := INR k - 1 < x <= INR k.

Definition inside (nS nA H T : nat) (state action : nat -> nat -> nat) : Prop :=
  forall t h, (t < T)%nat -> (h < H)%nat -> (state t h < nS)%nat /\ (action t h < nA)%nat.

Theorem equation_17 : forall (nS nA H T k : nat) (E : R) (state action : nat -> nat -> nat),
  inside nS nA H T state action -> ceiling k (3 * E) ->
  total T (fun t => total H (fun h => short E state action t h))
    <= INR nS * INR nA * INR H * INR k.
Proof.
  intros nS nA H T k E state action legal [_ large].
  rewrite total_swapped.
  replace (INR nS * INR nA * INR H * INR k)
    with (total H (fun _ => total nS (fun _ => total nA (fun _ => INR k))))
    by (rewrite !total_constant; ring).
  apply total_at_most. intros h step.
  rewrite (total_same T _
    (fun t => total nS (fun s => total nA (fun a => short_at E state action h s a t)))).
  2: { intros t early. apply every_visit; apply legal; assumption. }
  rewrite total_swapped. apply total_at_most. intros s _.
  rewrite total_swapped. apply total_at_most. intros a _.
  apply one_tuple. assumption.
Qed.

(* Bonuses min(H, conf) are at most H. *)
Theorem equation_17_bonuses : forall (nS nA H T k : nat) (E : R)
    (state action : nat -> nat -> nat) (conf : nat -> nat -> R),
  inside nS nA H T state action -> ceiling k (3 * E) ->
  total T (fun t => total H (fun h => short E state action t h * Rmin (INR H) (conf t h)))
    <= INR k * INR nS * INR nA * INR H ^ 2.
Proof.
  intros nS nA H T k E state action conf legal large.
  apply Rle_trans with (INR H * total T (fun t => total H (fun h => short E state action t h))).
  - rewrite <- total_scaled. apply total_at_most. intros t _.
    rewrite <- total_scaled. apply total_at_most. intros h _. rewrite (Rmult_comm (INR H)).
    apply Rmult_le_compat_l; [|apply Rmin_l].
    unfold short. destruct (Rlt_dec _ _); lra.
  - replace (INR k * INR nS * INR nA * INR H ^ 2)
      with (INR H * (INR nS * INR nA * INR H * INR k)) by ring.
    apply Rmult_le_compat_l; [apply pos_INR | apply equation_17; assumption].
Qed.

(* The mutant: 0.99 of the number; S = A = H = T = 1 and E = 1/3. *)
Theorem equation_17_mutant :
  ~ (forall (nS nA H T k : nat) (E : R) (state action : nat -> nat -> nat),
     inside nS nA H T state action -> ceiling k (3 * E) ->
     total T (fun t => total H (fun h => short E state action t h))
       <= 99 / 100 * (INR nS * INR nA * INR H * INR k)).
Proof.
  intro claim.
  specialize (claim 1%nat 1%nat 1%nat 1%nat 1%nat (1 / 3) (fun _ _ => 0%nat) (fun _ _ => 0%nat)).
  assert (inside 1 1 1 1 (fun _ _ => 0%nat) (fun _ _ => 0%nat)) as legal
    by (intros t h _ _; split; lia).
  assert (ceiling 1 (3 * (1 / 3))) as whole by (unfold ceiling; simpl; lra).
  specialize (claim legal whole). unfold short in claim. simpl in claim.
  destruct (Rlt_dec 0 (3 * (1 / 3))); lra.
Qed.

(* The mutant: SAH in place of SAH^2, with bonuses of H = 2. *)
Theorem equation_17_bonuses_mutant :
  ~ (forall (nS nA H T k : nat) (E : R) (state action : nat -> nat -> nat)
            (conf : nat -> nat -> R),
     inside nS nA H T state action -> ceiling k (3 * E) ->
     total T (fun t => total H (fun h => short E state action t h * Rmin (INR H) (conf t h)))
       <= INR k * INR nS * INR nA * INR H).
Proof.
  intro claim.
  specialize (claim 1%nat 1%nat 2%nat 1%nat 1%nat (1 / 3) (fun _ _ => 0%nat) (fun _ _ => 0%nat)
                (fun _ _ => 2)).
  assert (inside 1 1 2 1 (fun _ _ => 0%nat) (fun _ _ => 0%nat)) as legal
    by (intros t h _ _; split; lia).
  assert (ceiling 1 (3 * (1 / 3))) as whole by (unfold ceiling; simpl; lra).
  specialize (claim legal whole). unfold short in claim. simpl in claim.
  rewrite Rmin_left in claim by lra.
  destruct (Rlt_dec 0 (3 * (1 / 3))); lra.
Qed.

(* ---- counted by episodes ---- *)

(* 1 where episode t meets a tuple with fewer than 3E visits, otherwise 0 *)
Definition outside (H : nat) (E : R) (state action : nat -> nat -> nat) (t : nat) : R :=
  Rmin 1 (total H (fun h => short E state action t h)).

Lemma short_bounds : forall E state action t h, 0 <= short E state action t h <= 1.
Proof. intros. unfold short. destruct (Rlt_dec _ _); lra. Qed.

Lemma visits_at_most : forall state action h s a t, (visits state action h s a t <= t)%nat.
Proof.
  intros state action h s a. induction t as [|t at_most]; simpl; [lia|].
  destruct (state t h =? s), (action t h =? a); lia.
Qed.

Lemma first_episodes : forall k T, (k <= T)%nat ->
  total T (fun t => if t <? k then 1 else 0) = INR k.
Proof.
  intros k T late. induction T as [|T same].
  - replace k with O by lia. reflexivity.
  - simpl. destruct (Nat.ltb_spec T k) as [early | later].
    + replace k with (S T) in * by lia. rewrite S_INR. f_equal.
      rewrite (total_same T _ (fun _ => 1)), total_constant; [ring|].
      intros i inside_T. destruct (Nat.ltb_spec i (S T)); [reflexivity | lia].
    + rewrite same by lia. ring.
Qed.

Theorem equation_17_episodes : forall (nS nA H T k : nat) (E : R)
    (state action : nat -> nat -> nat),
  (1 <= nS)%nat -> (1 <= nA)%nat -> (1 <= H)%nat ->
  inside nS nA H T state action -> ceiling k (3 * E) ->
  total T (fun t => outside H E state action t)
    <= INR k * (INR H * (INR nS * INR nA - 1) + 1).
Proof.
  intros nS nA H T k E state action states actions steps legal whole.
  assert (1 <= INR nS) as S_large by (change 1 with (INR 1); apply le_INR; assumption).
  assert (1 <= INR nA) as A_large by (change 1 with (INR 1); apply le_INR; assumption).
  assert (1 <= INR H) as H_large by (change 1 with (INR 1); apply le_INR; assumption).
  assert (0 <= (INR nS - 1) * INR nA) by (apply Rmult_le_pos; lra).
  pose proof (pos_INR k) as k_positive.
  destruct (le_lt_dec k T) as [late | early].
  - pose proof (equation_17 nS nA H T k E state action legal whole) as visited.
    destruct whole as [least _].
    assert (total T (fun t => outside H E state action t + (INR H - 1) * (if t <? k then 1 else 0))
            <= total T (fun t => total H (fun h => short E state action t h))) as used.
    { apply total_at_most. intros t _. unfold outside.
      destruct (Nat.ltb_spec t k) as [first | later].
      - assert (total H (fun h => short E state action t h) = INR H) as every.
        { rewrite (total_same H _ (fun _ => 1)), total_constant; [ring|].
          intros h _. unfold short. destruct (Rlt_dec _ _) as [few | many]; [reflexivity|].
          exfalso. apply many. apply Rle_lt_trans with (INR k - 1); [|assumption].
          pose proof (visits_at_most state action h (state t h) (action t h) t).
          pose proof (le_INR (S (visits state action h (state t h) (action t h) t)) k
                        ltac:(lia)) as below.
          rewrite S_INR in below. lra. }
        rewrite every, Rmin_left by lra. lra.
      - pose proof (Rmin_r 1 (total H (fun h => short E state action t h))). lra. }
    rewrite total_added, total_scaled, first_episodes in used by assumption.
    change (total T (outside H E state action))
      with (total T (fun t => outside H E state action t)) in used. lra.
  - apply Rle_trans with (INR k * 1).
    + apply Rle_trans with (total T (fun _ => 1)).
      * apply total_at_most. intros t _. apply Rmin_l.
      * rewrite total_constant. pose proof (le_INR T k ltac:(lia)). lra.
    + apply Rmult_le_compat_l; [assumption|].
      assert (0 <= INR H * (INR nS * INR nA - 1)) by (apply Rmult_le_pos; lra). lra.
Qed.

(* Three episodes at S = 1, A = 2, H = 2, 3E = 1. *)
Definition filling (t h : nat) : nat :=
  match t, h with
  | 1, 0 => 1
  | 2, 1 => 1
  | _, _ => 0
  end%nat.

Lemma three_episodes :
  inside 1 2 2 3 (fun _ _ => 0%nat) filling /\
  total 3 (fun t => outside 2 (1 / 3) (fun _ _ => 0%nat) filling t) = 3.
Proof.
  split.
  - intros t h _ _. split; [lia|]. destruct t as [|[|[|t]]], h as [|[|h]]; simpl; lia.
  - simpl. unfold outside, short. simpl.
    (* of the two outcomes of each comparison one contradicts the numbers *)
    repeat match goal with
      | |- context [Rlt_dec ?x ?y] => destruct (Rlt_dec x y); try (exfalso; lra)
      end.
    repeat rewrite Rmin_left by lra. ring.
Qed.

(* As printed it fails. *)
Theorem equation_17_printed_refuted :
  ~ (forall (nS nA H T : nat) (E : R) (state action : nat -> nat -> nat),
     inside nS nA H T state action -> 0 < E ->
     total T (fun t => outside H E state action t) <= 3 * E * INR nS * INR nA).
Proof.
  intro claim. destruct three_episodes as [legal three].
  specialize (claim 1%nat 2%nat 2%nat 3%nat (1 / 3) _ _ legal ltac:(lra)).
  rewrite three in claim. simpl in claim. lra.
Qed.

(* Its mutant: the same for H = 1 and whole 3E, where the printed number is right. *)
Theorem equation_17_printed_mutant :
  forall (nS nA T k : nat) (E : R) (state action : nat -> nat -> nat),
  inside nS nA 1 T state action -> 3 * E = INR k ->
  total T (fun t => outside 1 E state action t) <= 3 * E * INR nS * INR nA.
Proof.
  intros nS nA T k E state action legal whole.
  assert (ceiling k (3 * E)) as rounded by (unfold ceiling; lra).
  pose proof (equation_17 nS nA 1 T k E state action legal rounded) as visited.
  rewrite <- whole in visited. replace (INR 1) with 1 in visited by reflexivity.
  apply Rle_trans with (total T (fun t => total 1 (fun h => short E state action t h))); [|lra].
  apply total_at_most. intros t _. apply Rmin_r.
Qed.

(* The mutant of the corrected number: one episode fewer. *)
Theorem equation_17_episodes_mutant :
  ~ (forall (nS nA H T k : nat) (E : R) (state action : nat -> nat -> nat),
     (1 <= nS)%nat -> (1 <= nA)%nat -> (1 <= H)%nat ->
     inside nS nA H T state action -> ceiling k (3 * E) ->
     total T (fun t => outside H E state action t)
       <= INR k * (INR H * (INR nS * INR nA - 1) + 1) - 1).
Proof.
  intro claim. destruct three_episodes as [legal three].
  specialize (claim 1%nat 2%nat 2%nat 3%nat 1%nat (1 / 3) _ _ ltac:(lia) ltac:(lia) ltac:(lia)
                legal ltac:(unfold ceiling; simpl; lra)).
  rewrite three in claim. simpl in claim. lra.
Qed.

(* The axioms of all theorems of this file. *)
Definition checked :=
  (equation_17, equation_17_mutant, equation_17_bonuses, equation_17_bonuses_mutant,
   equation_17_episodes, equation_17_episodes_mutant, equation_17_printed_refuted,
   equation_17_printed_mutant).

Print Assumptions checked.
