(* vietri2020/lemma-2, the billboard lemma: outputs that are functions of one's own data and of an
   epsilon-DP signal are together epsilon-JDP.

   Argument. Let two inputs differ in user i only, and take an event on what the others are told.
   Everybody but i has the same data in both, so what they are told is one and the same function of
   the signal, and the event is a set of signals. Its probability grows by at most e^epsilon because
   the signal is epsilon-DP. *)

Require Import Reals Lra Lia List Bool.
Require Import finite.
Open Scope R_scope.

(* Users are numbered; the data of user j are u j. Two inputs differ in user i only. *)
Definition differ_in {D : Type} (i : nat) (u v : nat -> D) : Prop := forall j, j <> i -> u j = v j.

(* The signal M u is a law on the finite list of signals, given by its weights. *)
Definition probability {D S : Type} (signals : list S) (M : (nat -> D) -> S -> R) (u : nat -> D)
  (event : S -> bool) : R :=
  sum signals (fun s => if event s then M u s else 0).

(* Differential privacy of the signal. *)
Definition private {D S : Type} (signals : list S) (M : (nat -> D) -> S -> R)
  (epsilon : R) : Prop :=
  forall i u v event, differ_in i u v ->
    probability signals M u event <= exp epsilon * probability signals M v event.

(* What user j is told: f j of her own data and the signal. *)
Definition told {D S O : Type} (f : nat -> D -> S -> O) (u : nat -> D) (s : S) : nat -> O :=
  fun j => f j (u j) s.

(* An event on the outputs of all users but i does not look at the output of i. *)
Definition of_the_others {O : Type} (i : nat) (event : (nat -> O) -> bool) : Prop :=
  forall o o', (forall j, j <> i -> o j = o' j) -> event o = event o'.

(* Joint differential privacy: definition 3 of the paper. *)
Definition jointly_private {D S O : Type} (signals : list S) (M : (nat -> D) -> S -> R)
  (f : nat -> D -> S -> O)
    (epsilon : R) : Prop :=
  forall i u v event, differ_in i u v -> of_the_others i event ->
    probability signals M u (fun s => event (told f u s)) <=
    exp epsilon * probability signals M v (fun s => event (told f v s)).

Theorem lemma_2 : forall (D S O : Type) (signals : list S) (M : (nat -> D) -> S -> R) (epsilon : R),
  (forall u, law signals (M u)) -> private signals M epsilon ->
  forall f : nat -> D -> S -> O, jointly_private signals M f epsilon.
Proof.
  intros D S O signals M epsilon _ signal_private f i u v event differ others.
  eapply Rle_trans; [apply (signal_private i u v); exact differ |].
  right. f_equal. apply sum_ext. intros s _.
  replace (event (told f v s)) with (event (told f u s)); [reflexivity |].
  apply others. intros j not_i. unfold told. rewrite (differ j not_i). reflexivity.
Qed.

(* The mutant: an event that looks at the changed user's own output as well. *)
Theorem lemma_2_not_own_output : ~
  (forall (D S O : Type) (signals : list S) (M : (nat -> D) -> S -> R) epsilon,
  (forall u, law signals (M u)) -> private signals M epsilon ->
  forall (f : nat -> D -> S -> O) i u v (event : (nat -> O) -> bool), differ_in i u v ->
    probability signals M u (fun s => event (told f u s)) <=
    exp epsilon * probability signals M v (fun s => event (told f v s))).
Proof.
  intro more.
  (* no signal at all: one letter, drawn always; user 0 is told her own bit *)
  specialize (more bool unit bool (tt :: nil) (fun _ _ => 1) 1).
  assert (is_law : forall u : nat -> bool, law (tt :: nil) (fun _ : unit => 1)).
  { intros _. split; [intro; lra | unfold sum; simpl; lra]. }
  assert (is_private : private (D := bool) (tt :: nil) (fun _ _ => 1) 1).
  { intros i u v event _. unfold probability, sum. simpl.
    pose proof (exp_ineq1_le 1). destruct (event tt); lra. }
  specialize (more is_law is_private (fun _ bit _ => bit) 0%nat (fun _ => true)
    (fun j => match j with 0 => false | _ => true end) (fun o => o 0%nat)).
  unfold probability, told, sum in more. simpl in more.
  assert (differ : differ_in 0 (fun _ => true) (fun j => match j with 0%nat => false |
    _ => true end)).
  { intros [|j] not_0; [congruence | reflexivity]. }
  specialize (more differ). lra.
Qed.

(* Nor is any smaller factor enough: the others may be told the signal itself. *)
Theorem lemma_2_not_half : ~
  (forall (D S O : Type) (signals : list S) (M : (nat -> D) -> S -> R) epsilon,
  (forall u, law signals (M u)) -> private signals M epsilon ->
  forall f : nat -> D -> S -> O, jointly_private signals M f (epsilon / 2)).
Proof.
  intro less.
  (* one user's bit, told as it is with probability exp 1/(1 + exp 1), and flipped otherwise *)
  set (M := fun (u : nat -> bool) (s : bool) => if Bool.eqb (u 0%nat) s then exp 1 /
    (1 + exp 1) else 1 / (1 + exp 1)).
  pose proof (exp_pos 1) as e_pos. pose proof (exp_ineq1_le 1) as e_more.
  assert (down : 0 < / (1 + exp 1)) by (apply Rinv_0_lt_compat; lra).
  specialize (less bool bool bool (true :: false :: nil) M 1).
  assert (is_law : forall u, law (true :: false :: nil) (M u)).
  { intro u. split.
    - intro s. unfold M, Rdiv. destruct (Bool.eqb (u 0%nat) s); nra.
    - unfold sum, M. simpl. destruct (u 0%nat); simpl; field; lra. }
  assert (pointwise : forall u v s, M u s <= exp 1 * M v s).
  { assert (once : / (1 + exp 1) <= exp 1 * / (1 + exp 1)) by nra.
    pose proof (Rmult_le_compat_l (exp 1) _ _ (Rlt_le _ _ e_pos) once) as twice.
    intros u v s. unfold M, Rdiv. destruct (Bool.eqb (u 0%nat) s), (Bool.eqb (v 0%nat) s); lra. }
  assert (is_private : private (true :: false :: nil) M 1).
  { intros i u v event _. unfold probability. rewrite <- sum_scale. apply sum_le. intros s _.
    destruct (event s); [apply pointwise | lra]. }
  specialize (less is_law is_private (fun _ _ s => s) 0%nat (fun _ => true)
    (fun j => match j with 0%nat => false | _ => true end) (fun o => o 1%nat)).
  assert (differ : differ_in 0 (fun _ => true) (fun j => match j with 0%nat => false |
    _ => true end)).
  { intros [|j] not_0; [congruence | reflexivity]. }
  assert (others : of_the_others 0 (fun o : nat -> bool => o 1%nat)) by
    (intros o o' same; apply same; lia).
  specialize (less differ others). unfold probability, told, sum, M in less. simpl in less.
  assert (smaller : exp (1 / 2) < exp 1) by (apply exp_increasing; lra).
  assert (exp (1 / 2) * / (1 + exp 1) < exp 1 * / (1 + exp 1)) by
    (apply Rmult_lt_compat_r; assumption).
  unfold Rdiv in less at 1. unfold Rdiv in less. unfold Rdiv in *. lra.
Qed.
