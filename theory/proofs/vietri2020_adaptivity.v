(* vietri2020/adaptivity: the counters' guarantee holds although later data depend on earlier
   releases.

   Argument. The nodes of all trees are released one after the other. A released value is the sum of
   what the users add to the node, plus noise that does not look at the data; what a user adds is a
   function of her data and of the values that were released before. Given all released values,
   everybody but the changed user adds the same in both worlds, also later, since the actions that
   produce it are functions of the releases. So in each node the exact sums differ by what the
   changed user changes there, which costs a factor e^(change/scale); the factors multiply along the
   path of releases. Added up over the outcomes of an event: basic composition, adaptively. *)

Require Import Reals Lra List.
Require Import finite.
Open Scope R_scope.

Section Tree.

Variable K : Type.            (* names of nodes: of one tree or of many *)
Variable D : Type.            (* data of a user: her tree of answers *)
Variable users : list nat.
Variable add : K -> nat -> D -> list R -> R.
(* add k j d past: what user j with data d adds to node k, when the earlier nodes were released with
   the values past *)
Variable noise : R -> R.      (* weight of a value of the noise: a probability or a density *)

Definition exact (k : K) (u : nat -> D) (past : list R) : R :=
  sum users (fun j => add k j (u j) past).

(* The chance that the nodes are released with values among those listed for which the event is
   true. The values past have been released before. *)
Fixpoint chance (values : list R) (nodes : list K) (u : nat -> D) (past : list R)
  (event : list R -> bool) : R :=
  match nodes with
  | nil => if event past then 1 else 0
  | k :: nodes =>
      sum values (fun y => noise (y - exact k u past) * chance values nodes u
        (past ++ y :: nil) event)
  end.

(* What user i changes in all nodes together, along a path of released values. *)
Fixpoint change (nodes : list K) (i : nat) (d d' : D) (past path : list R) : R :=
  match nodes, path with
  | k :: nodes, y :: path => Rabs (add k i d past - add k i d' past) + change nodes i d d'
    (past ++ y :: nil) path
  | _, _ => 0
  end.

End Tree.

Arguments exact {K D}.
Arguments chance {K D}.
Arguments change {K D}.

Lemma exact_apart {K D} (users : list nat) (add : K -> nat -> D -> list R -> R) k i u v past :
  NoDup users -> (forall j, j <> i -> u j = v j) ->
  Rabs (exact users add k u past - exact users add k v past) <=
    Rabs (add k i (u i) past - add k i (v i) past).
Proof.
  intros once differ. unfold exact. rewrite <- sum_minus.
  induction users as [|j users IH]; [simpl; rewrite Rabs_R0; apply Rabs_pos |].
  inversion once as [| ? ? j_new users_once]; subst. rewrite sum_cons.
  destruct (Nat.eq_dec j i) as [-> | other].
  - rewrite (sum_ext users _ (fun _ => 0)); [rewrite sum_zero, Rplus_0_r; apply Rle_refl |].
    intros l l_in. rewrite (differ l); [ring |]. intros ->. contradiction.
  - rewrite (differ j other), Rminus_diag_eq, Rplus_0_l by reflexivity. apply IH. exact users_once.
Qed.

(* Any noise whose weights change by at most e^(distance/scale) over a distance, as those of Laplace
   noise do. *)
Definition slow (noise : R -> R) (scale : R) : Prop :=
  forall z z', 0 <= noise z /\ noise z <= exp (Rabs (z - z') / scale) * noise z'.

Theorem adaptivity : forall (K D : Type) (users : list nat) (add : K -> nat -> D -> list R -> R)
  (noise : R -> R)
    (scale bound : R) (nodes : list K) (i : nat) (u v : nat -> D),
  NoDup users -> 0 < scale -> slow noise scale ->
  (forall j, j <> i -> u j = v j) ->
  (forall path, change add nodes i (u i) (v i) nil path <= bound) ->
  forall values event,
    chance users add noise values nodes u nil event <=
    exp (bound / scale) * chance users add noise values nodes v nil event.
Proof.
  intros K D users add noise scale bound nodes i u v once positive noise_slow differ.
  generalize (@nil R) as past. revert bound.
  induction nodes as [|k nodes IH]; intros bound past within values event; simpl.
  - assert (0 <= bound / scale).
    { apply Rmult_le_pos; [apply (within nil) | left; apply Rinv_0_lt_compat; exact positive]. }
    pose proof (exp_ineq1_le (bound / scale)). destruct (event past); lra.
  - rewrite <- sum_scale. apply sum_le. intros y _.
    set (here := Rabs (add k i (u i) past - add k i (v i) past)).
    assert (later : chance users add noise values nodes u (past ++ y :: nil) event <=
              exp ((bound - here) / scale) * chance users add noise values nodes v
                (past ++ y :: nil) event).
    { apply IH. intro path. pose proof (within (y :: path)) as whole. simpl in whole. unfold here.
    lra. }
    destruct (noise_slow (y - exact users add k u past) (y - exact users add k v past)) as
      [nonneg step].
    assert (step' : noise (y - exact users add k u past) <= exp (here / scale) * noise
      (y - exact users add k v past)).
    { eapply Rle_trans; [exact step |]. apply Rmult_le_compat_r.
      - apply (noise_slow _ 0).
      - assert (near : Rabs (y - exact users add k u past - (y - exact users add k v past)) / scale
          <= here / scale).
        { apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact positive |].
          replace (y - exact users add k u past - (y - exact users add k v past))
            with (- (exact users add k u past - exact users add k v past)) by ring.
          rewrite Rabs_Ropp. apply exact_apart; assumption. }
        destruct (Rle_lt_or_eq_dec _ _ near) as [less | same];
          [left; apply exp_increasing; exact less | rewrite same; apply Rle_refl]. }
    assert (rest_nonneg : 0 <= chance users add noise values nodes u (past ++ y :: nil) event).
    { generalize (past ++ y :: nil). clear - noise_slow.
    induction nodes as [|k nodes IH]; intro past; simpl.
      - destruct (event past); lra.
      - apply sum_nonneg. intros z _. apply Rmult_le_pos; [apply (noise_slow _ 0) | apply IH]. }
    replace (exp (bound / scale)) with (exp (here / scale) * exp ((bound - here) / scale))
      by (rewrite <- exp_plus; f_equal; field; lra).
    eapply Rle_trans; [apply Rmult_le_compat; [exact nonneg | exact rest_nonneg | exact step' |
      exact later] |].
    right. ring.
Qed.

(* Laplace noise of that scale is slow, and without adaptivity nothing is better: when the changed
   user adds 1 to every node in one world and 0 in the other, and all nodes are released at 1, the
   factor is e^(number of nodes/scale). *)
Definition laplace (scale z : R) : R := exp (- Rabs z / scale) / (2 * scale).

Lemma laplace_slow scale : 0 < scale -> slow (laplace scale) scale.
Proof.
  intros positive z z'. unfold laplace.
  assert (0 < / (2 * scale)) by (apply Rinv_0_lt_compat; lra).
  split; [left; apply Rmult_lt_0_compat; [apply exp_pos | assumption] |].
  unfold Rdiv at 1 4. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra |]. rewrite <- exp_plus.
  assert (far : - Rabs z / scale <= Rabs (z - z') / scale + - Rabs z' / scale).
  { unfold Rdiv. rewrite <- Rmult_plus_distr_r.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact positive |].
    pose proof (Rabs_triang (z' - z) z) as triangle.
    replace (z' - z + z) with z' in triangle by ring.
    rewrite (Rabs_minus_sym z z'). lra. }
  destruct (Rle_lt_or_eq_dec _ _ far) as [less | same];
    [left; apply exp_increasing; exact less | rewrite same; apply Rle_refl].
Qed.

Definition own (_ _ : nat) (d : R) (_ : list R) : R := d.

Lemma loss_of_ones scale n : 0 < scale -> forall start past,
  (forall path, change own (seq start n) 0 1 0 past path <= INR n) /\
  chance (0%nat :: nil) own (laplace scale) (1 :: nil) (seq start n) (fun _ => 1) past
    (fun _ => true) =
  exp (INR n / scale) *
  chance (0%nat :: nil) own (laplace scale) (1 :: nil) (seq start n) (fun _ => 0) past
    (fun _ => true) /\
  0 < chance (0%nat :: nil) own (laplace scale) (1 :: nil) (seq start n) (fun _ => 0) past
    (fun _ => true).
Proof.
  intro positive.
  assert (ratio : laplace scale 0 = exp (1 / scale) * laplace scale 1).
  { unfold laplace. rewrite Rabs_R0, Rabs_R1. unfold Rdiv. rewrite <- Rmult_assoc, <- exp_plus.
    f_equal. f_equal. ring. }
  assert (weight : 0 < laplace scale 1).
  { unfold laplace. apply Rmult_lt_0_compat; [apply exp_pos | apply Rinv_0_lt_compat; lra]. }
  assert (at_ones : forall k past, exact (0%nat :: nil) own k (fun _ => 1) past = 1)
    by (intros; unfold exact, own, sum; simpl; ring).
  assert (at_zeros : forall k past, exact (0%nat :: nil) own k (fun _ => 0) past = 0)
    by (intros; unfold exact, own, sum; simpl; ring).
  induction n as [|n IH]; intros start past.
  - simpl. split; [intro; lra |]. split; [unfold Rdiv; rewrite Rmult_0_l, exp_0; ring | lra].
  - cbn [seq]. destruct (IH (S start) (past ++ 1 :: nil)) as (_ & equal & nonzero).
    split; [| split].
    + intros [|y path]; [apply pos_INR |].
      destruct (IH (S start) (past ++ y :: nil)) as (less & _). rewrite S_INR. cbn [change].
      specialize (less path). unfold own at 1 2. rewrite Rminus_0_r, Rabs_R1. lra.
    + cbn [chance]. rewrite !sum_cons, equal, S_INR, !at_ones, !at_zeros,
        (Rminus_diag_eq 1 1), Rminus_0_r, ratio
        by reflexivity.
      replace ((INR n + 1) / scale) with (1 / scale + INR n / scale) by (field; lra).
      rewrite exp_plus.
      unfold sum. simpl. ring.
    + cbn [chance]. rewrite !sum_cons, !at_zeros, Rminus_0_r. unfold sum. simpl. rewrite Rplus_0_r.
      apply Rmult_lt_0_compat; assumption.
Qed.

Theorem adaptivity_attained : forall (n : nat) (scale : R), 0 < scale ->
  (forall path, change own (seq 0 n) 0 1 0 nil path <= INR n) /\
  chance (0%nat :: nil) own (laplace scale) (1 :: nil) (seq 0 n) (fun _ => 1) nil (fun _ => true) =
  exp (INR n / scale) *
  chance (0%nat :: nil) own (laplace scale) (1 :: nil) (seq 0 n) (fun _ => 0) nil (fun _ => true) /\
  0 < chance (0%nat :: nil) own (laplace scale) (1 :: nil) (seq 0 n) (fun _ => 0) nil
    (fun _ => true).
Proof. intros n scale positive. apply loss_of_ones. exact positive. Qed.

(* The mutant: half of the loss is not enough, even for data that do not depend on the releases. *)
Theorem adaptivity_not_half : ~
  (forall (K D : Type) (users : list nat) (add : K -> nat -> D -> list R -> R)
    (noise : R -> R) (scale bound : R) (nodes : list K) (i : nat) (u v : nat -> D),
  NoDup users -> 0 < scale -> slow noise scale ->
  (forall j, j <> i -> u j = v j) ->
  (forall path, change add nodes i (u i) (v i) nil path <= bound) ->
  forall values event,
    chance users add noise values nodes u nil event <=
    exp (bound / 2 / scale) * chance users add noise values nodes v nil event).
Proof.
  intro less. destruct (adaptivity_attained 1 1 Rlt_0_1) as (within & equal & positive).
  specialize (less nat R (0%nat :: nil) own (laplace 1) 1 (INR 1) (seq 0 1) 0%nat
    (fun _ => 1) (fun j => match j with 0%nat => 0 | _ => 1 end)).
  assert (once : NoDup (0%nat :: nil)) by (repeat constructor; simpl; tauto).
  specialize (less once Rlt_0_1 (laplace_slow 1 Rlt_0_1)).
  assert (differ : forall j, j <> 0%nat -> 1 = match j with 0%nat => 0 | _ => 1 end)
    by (intros [|j] other; [congruence | reflexivity]).
  specialize (less differ within (1 :: nil) (fun _ => true)).
  simpl in less, equal, positive. unfold exact, sum in *. simpl in *. rewrite equal in less.
  apply Rmult_le_reg_r in less; [| exact positive].
  assert (exp (1 / 2 / 1) < exp (1 / 1)) by (apply exp_increasing; lra). lra.
Qed.
