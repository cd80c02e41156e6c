(* vietri2020/theorem-1, corrected: with Laplace noise of scale 6 H levels(T-1)/epsilon in every
   node of every counter, all released nodes of T - 1 releases together lose at most epsilon,
   whatever later data depend on.

   Argument. A user adds to the nodes that hold her episode only: at most levels(T-1) of them
   (tree-levels), the dyadic block that ends at the release s being the node drawn at s. In each the
   three families change by at most 6 H (claim-1), whatever the policies are. So all nodes together
   change by at most 6 H levels(T-1) along every path of releases, and the loss is that over the
   scale (adaptivity). *)

Require Import Reals Lra Lia List Arith FinFun.
Require Import finite vietri2020_claim_1 chowdhury2021_tree_levels vietri2020_adaptivity.
Open Scope R_scope.

(* The entries of the three families. *)
Inductive entry : Type :=
  | visits_of (h s a : nat)
  | moves_of (h s a s' : nat)
  | rewards_of (h s a : nat).

Definition entries (S A H : nat) : list entry :=
  flat_map (fun h => flat_map (fun s => flat_map (fun a =>
    visits_of h s a :: rewards_of h s a :: map (moves_of h s a) (seq 0 S)) (seq 0 A)) (seq 0 S))
      (seq 0 H).

(* What a trajectory adds to an entry. *)
Definition adds (u : trajectory) (e : entry) : R :=
  match e with
  | visits_of h s a => visit u h s a
  | moves_of h s a s' => move u h s a s'
  | rewards_of h s a => earned u h s a
  end.

(* The node that is drawn at release s: of the blocks that make up the release, the one that ends at
   s. *)
Definition newest (s : nat) : block := hd (0, 0)%nat (release s).

(* The nodes of all counters in the order in which they are released: T - 1 times one for each
   entry. *)
Definition nodes (S A H T : nat) : list (nat * entry) :=
  flat_map (fun s => map (fun e => (s, e)) (entries S A H)) (seq 1 (T - 1)).

(* In episode j user j has the trajectory that her data give under the policies of that episode.
   These are computed from the releases before it: the first (j - 1) times (number of entries)
   released values. *)
Definition before (S A H j : nat) (past : list R) : list R :=
  firstn ((j - 1) * length (entries S A H)) past.

Definition add {D : Type} (S A H : nat) (walk : nat -> D -> list R -> trajectory)
    (node : nat * entry) (j : nat) (d : D) (past : list R) : R :=
  if holds (newest (fst node)) j then adds (walk j d (before S A H j past)) (snd node) else 0.

Lemma sum_flat_map {X Y : Type} (f : X -> list Y) (l : list X) (g : Y -> R) :
  sum (flat_map f l) g = sum l (fun x => sum (f x) g).
Proof. induction l as [|x l IH]; [reflexivity |]. cbn [flat_map]. rewrite sum_app, sum_cons, IH.
reflexivity. Qed.

(* The l1 change of all entries together is that of the three families. *)
Lemma change_of_entries S A H u v :
  sum (entries S A H) (fun e => Rabs (adds u e - adds v e)) =
  change_of_visits S A H u v + change_of_moves S A H u v + change_of_rewards S A H u v.
Proof.
  unfold entries, change_of_visits, change_of_moves, change_of_rewards, upto.
  rewrite sum_flat_map, <- !sum_plus. apply sum_ext. intros h _.
  rewrite sum_flat_map, <- !sum_plus. apply sum_ext. intros s _.
  rewrite sum_flat_map, <- !sum_plus. apply sum_ext. intros a _.
  rewrite !sum_cons, sum_map. cbn [adds]. ring.
Qed.

(* The node drawn at s ends at s, so different releases draw different nodes. *)
Lemma digits_end t : ((snd (hd (0, 0) (digits t)) + 1) * 2 ^ fst (hd (0, 0) (digits t)) =
  Pos.to_nat t)%nat /\ digits t <> nil.
Proof.
  induction t as [t [IH some] | t [IH some] |]; cbn [digits].
  - cbn [hd fst snd Nat.pow]. rewrite Pos2Nat.inj_xI. split; [lia | discriminate].
  - destruct (digits t) as [|b rest]; [contradiction |]. cbn [map hd] in *. unfold higher.
    cbn [fst snd].
    rewrite Nat.pow_succ_r', Pos2Nat.inj_xO. split; [| discriminate]. cbn [hd] in IH. lia.
  - cbn. split; [reflexivity | discriminate].
Qed.

Lemma newest_ends s : (1 <= s)%nat -> ((snd (newest s) + 1) * 2 ^ fst (newest s) = s)%nat.
Proof.
  intro one. unfold newest, release. destruct s as [|s]; [lia |].
  destruct (digits_end (Pos.of_nat (S s))) as [ends _]. rewrite ends. apply Nat2Pos.id.
  discriminate.
Qed.

Lemma holds_before s j : (1 <= s)%nat -> holds (newest s) j = true -> (1 <= j <= s)%nat.
Proof.
  intros one inside. pose proof (newest_ends s one) as ends. unfold holds in inside.
  apply andb_prop in inside as [low high]. apply Nat.ltb_lt in low. apply Nat.leb_le in high. lia.
Qed.

(* At most ceil(log2 T) = levels(T-1) of the nodes hold an episode. *)
Lemma few_nodes T j : (1 <= T)%nat ->
  (length (filter (fun s => holds (newest s) j) (seq 1 (T - 1))) <= Nat.log2_up T)%nat.
Proof.
  intro one. destruct (tree_levels T one) as (levels & _).
  rewrite <- (map_length newest). apply (levels j).
  - assert (once : NoDup (filter (fun s => holds (newest s) j) (seq 1 (T - 1)))) by
      (apply NoDup_filter, seq_NoDup).
    assert (range : forall s, In s (filter (fun s => holds (newest s) j) (seq 1 (T - 1))) ->
      (1 <= s)%nat).
    { intros s s_in. apply filter_In in s_in as [s_in _]. apply in_seq in s_in. lia. }
    revert once range. generalize (filter (fun s => holds (newest s) j) (seq 1 (T - 1))).
    induction l as [|s l IH]; intros once range; [constructor |].
    inversion once as [| ? ? s_new l_once]; subst. cbn [map]. constructor.
    + intro again. apply in_map_iff in again as (s' & same & s'_in). apply s_new.
      replace s with s'; [exact s'_in |].
      rewrite <- (newest_ends s), <- (newest_ends s'), same; [reflexivity | |]; apply range; simpl;
        auto.
    + apply IH; [exact l_once |]. intros s' s'_in. apply range. right. exact s'_in.
  - intros b b_in. apply in_map_iff in b_in as (s & <- & s_in).
    apply filter_In in s_in as [s_in inside].
    apply in_seq in s_in. split; [exact inside |]. unfold complete. rewrite newest_ends by lia. lia.
Qed.

(* Where a node stands among all nodes. *)
Lemma position {E : Type} (es : list E) start n p s (e : E) :
  nth_error (flat_map (fun s => map (fun e => (s, e)) es) (seq start n)) p = Some (s, e) ->
  (start <= s)%nat /\ ((s - start) * length es <= p)%nat.
Proof.
  revert start p. induction n as [|n IH]; intros start p found; [destruct p; discriminate |].
  cbn [seq flat_map] in found.
  destruct (Nat.lt_ge_cases p (length es)) as [inside | beyond].
  - rewrite nth_error_app1 in found by (rewrite map_length; exact inside).
    apply nth_error_In, in_map_iff in found as (e' & same & _). injection same as -> _.
    split; [lia |].
    rewrite Nat.sub_diag. lia.
  - rewrite nth_error_app2 in found by (rewrite map_length; exact beyond).
    rewrite map_length in found.
    destruct (IH (S start) (p - length es)%nat found) as [later far]. split; [lia |].
    replace (s - start)%nat with (S (s - S start)) by lia. cbn [Nat.mul]. lia.
Qed.

(* The change along a path, node by node. *)
Lemma change_at_most {K D : Type} (own : K -> nat -> D -> list R -> R) i d d' (c : K -> R)
  (ks : list K) past path :
  (forall k, In k ks -> 0 <= c k) ->
  (forall p k, nth_error ks p = Some k -> (p < length path)%nat ->
     Rabs (own k i d (past ++ firstn p path) - own k i d' (past ++ firstn p path)) <= c k) ->
  change own ks i d d' past path <= sum ks c.
Proof.
  revert past path. induction ks as [|k ks IH]; intros past path nonneg each;
    [destruct path; simpl; lra |].
  destruct path as [|y path].
  - simpl (change _ _ _ _ _ _ _). apply sum_nonneg. exact nonneg.
  - cbn [change]. rewrite sum_cons. apply Rplus_le_compat.
    + pose proof (each 0%nat k eq_refl ltac:(simpl; lia)) as first. cbn [firstn] in first.
      rewrite app_nil_r in first. exact first.
    + apply IH; [intros k' k'_in; apply nonneg; right; exact k'_in |].
      intros p k' found inside. pose proof (each (S p) k' found ltac:(simpl; lia)) as next.
      cbn [firstn] in next. rewrite <- app_assoc. exact next.
Qed.

(* The released counters of T - 1 releases: every S, A, H, T, every way in which trajectories follow
   data and earlier releases, every set of listed released values and event. *)
Theorem theorem_1_noise : forall (D : Type) (S A H T : nat) (walk : nat -> D -> list R ->
  trajectory)
    (users : list nat) (t : nat) (u v : nat -> D) (epsilon : R),
  (1 <= H)%nat -> (2 <= T)%nat -> 0 < epsilon -> NoDup users ->
  (forall j d past, possible S A H (walk j d past)) ->
  (forall j, j <> t -> u j = v j) ->
  let scale := 6 * INR H * INR (Nat.log2 (T - 1) + 1) / epsilon in
  forall values event,
    chance users (add S A H walk) (laplace scale) values (nodes S A H T) u nil event <=
    exp epsilon * chance users (add S A H walk) (laplace scale) values (nodes S A H T) v nil event.
Proof.
  intros D S A H T walk users t u v epsilon H_one T_two epsilon_pos once fits differ scale values
    event.
  set (levels := INR (Nat.log2 (T - 1) + 1)) in *.
  assert (H_pos : 0 < INR H) by (apply lt_0_INR; lia).
  assert (levels_pos : 0 < levels) by (apply lt_0_INR; lia).
  assert (scale_pos : 0 < scale).
  { apply Rdiv_lt_0_compat; [| exact epsilon_pos].
  apply Rmult_lt_0_compat; [lra | exact levels_pos]. }
  replace (exp epsilon) with
    (exp (6 * INR H * levels / scale)) by (f_equal; unfold scale; field; lra).
  apply (adaptivity (nat * entry) D users (add S A H walk) (laplace scale) scale
    (6 * INR H * levels)
    (nodes S A H T) t u v); try assumption; [apply laplace_slow; exact scale_pos |].
  intro path.
  set (m := length (entries S A H)). set (known := firstn ((t - 1) * m) path).
  set (U := walk t (u t) known). set (V := walk t (v t) known).
  set (c := fun node : nat * entry => if holds (newest (fst node)) t then Rabs
    (adds U (snd node) - adds V (snd node)) else 0).
  apply Rle_trans with (sum (nodes S A H T) c).
  - apply change_at_most.
    + intros [s e] _. unfold c. cbn [fst snd].
      destruct (holds (newest s) t); [apply Rabs_pos | lra].
    + intros p [s e] found inside. cbn [app]. unfold add, c. cbn [fst snd].
      destruct (holds (newest s) t) eqn:touched; [| rewrite Rminus_diag_eq, Rabs_R0 by reflexivity;
        lra].
      apply position in found as [first far]. apply (holds_before s t first) in touched.
      assert (same : before S A H t (firstn p path) = known).
      { unfold before, known, m. rewrite firstn_firstn. f_equal. apply Nat.min_l. fold m in far.
      fold m.
        apply Nat.le_trans with ((s - 1) * m)%nat; [apply Nat.mul_le_mono_r; lia | exact far]. }
      rewrite same. apply Rle_refl.
  - unfold nodes. rewrite sum_flat_map.
    assert (each : forall s, sum (map (fun e => (s, e)) (entries S A H)) c <=
      if holds (newest s) t then 6 * INR H else 0).
    { intro s. rewrite sum_map. unfold c. cbn [fst snd]. destruct (holds (newest s) t).
      - rewrite change_of_entries. destruct (claim_1 S A H) as [bound _].
        destruct (bound U V) as (_ & _ & _ & total); [apply fits | apply fits | exact total].
      - rewrite sum_zero. lra. }
    eapply Rle_trans; [apply sum_le; intros s _; apply each |].
    assert (counted : forall l, sum l (fun s => if holds (newest s) t then 6 * INR H else 0) =
              INR (length (filter (fun s => holds (newest s) t) l)) * (6 * INR H)).
    { induction l as [|s l IH]; [simpl; ring |]. rewrite sum_cons, IH. cbn [filter].
      destruct (holds (newest s) t); [cbn [length]; rewrite S_INR |]; ring. }
    rewrite counted, Rmult_comm. apply Rmult_le_compat_l; [lra |]. apply le_INR.
    eapply Nat.le_trans; [apply few_nodes; lia |].
    rewrite Nat.log2_up_eqn by lia. replace (Nat.pred T) with (T - 1)%nat by lia. lia.
Qed.

(* The mutant: 5.99 in place of 6. One episode of one step with two states; the user stays in one
   state or in the other with reward 1, which changes six of the eight counters by 1, and the
   event is that all nodes are released as they are for the first user. *)
Definition same (p q : list R) : bool := if list_eq_dec Req_EM_T p q then true else false.

Lemma same_true p q : same p q = true <-> p = q.
Proof. unfold same. destruct (list_eq_dec Req_EM_T p q); split; congruence. Qed.

(* The weight of one path of released values. *)
Fixpoint weight_of_path {K D : Type} (users : list nat) (own : K -> nat -> D -> list R -> R)
    (noise : R -> R) (ks : list K) (u : nat -> D) (past path : list R) : R :=
  match ks, path with
  | k :: ks, y :: path => noise (y - exact users own k u past) *
      weight_of_path users own noise ks u (past ++ y :: nil) path
  | _, _ => 1
  end.

Lemma chance_of_nothing {K D : Type} users (own : K -> nat -> D -> list R -> R) noise values ks u
    past event : (forall rest, event (past ++ rest) = false) ->
  chance users own noise values ks u past event = 0.
Proof.
  revert past. induction ks as [|k ks IH]; intros past none; cbn [chance].
  - specialize (none nil). rewrite app_nil_r in none. rewrite none. reflexivity.
  - rewrite <- (sum_zero values). apply sum_ext. intros y _.
    rewrite IH; [ring |]. intro rest. rewrite <- app_assoc. apply none.
Qed.

Lemma sum_at (l : list R) y f : NoDup l -> In y l -> (forall z, z <> y -> f z = 0) -> sum l f = f y.
Proof.
  intros once inside others. induction l as [|z l IH]; [contradiction |].
  inversion once as [| ? ? z_new l_once]; subst. rewrite sum_cons.
  destruct inside as [-> | later].
  - rewrite (sum_ext l f (fun _ => 0)), sum_zero; [ring |]. intros x x_in. apply others.
    intros ->. contradiction.
  - rewrite others, IH by (assumption || (intros ->; contradiction)). ring.
Qed.

Lemma chance_of_path {K D : Type} users (own : K -> nat -> D -> list R -> R) noise values ks u past
    path : NoDup values -> length path = length ks -> (forall y, In y path -> In y values) ->
  chance users own noise values ks u past (same (past ++ path)) =
  weight_of_path users own noise ks u past path.
Proof.
  intro once. revert past path.
  induction ks as [|k ks IH]; intros past [|y path] long listed; try discriminate.
  - cbn. rewrite app_nil_r. destruct (same past past) eqn:equal; [reflexivity |].
    assert (same past past = true) by (apply same_true; reflexivity). congruence.
  - cbn [chance weight_of_path].
    rewrite (sum_at values y); [| exact once | apply listed; left; reflexivity |].
    + f_equal. rewrite <- IH; [rewrite <- app_assoc; reflexivity | injection long; auto |].
      intros z z_in. apply listed. right. exact z_in.
    + intros z other. rewrite chance_of_nothing; [ring |]. intro rest.
      destruct (same (past ++ y :: path) ((past ++ z :: nil) ++ rest)) eqn:equal; [| reflexivity].
      apply same_true in equal. rewrite <- app_assoc in equal. apply app_inv_head in equal.
      injection equal as equal _. congruence.
Qed.

Definition stay (first : bool) : trajectory :=
  {| state := fun _ => if first then 0%nat else 1%nat; action := fun _ => 0%nat;
     reward := fun _ => 1 |}.

Definition staying (_ : nat) (first : bool) (_ : list R) : trajectory := stay first.

Definition as_first : list R := map (adds (stay true)) (entries 2 1 1).

Lemma chance_as_first b (w : nat -> bool) :
  chance (1%nat :: nil) (add 2 1 1 staying) (laplace b) (1 :: 0 :: nil) (nodes 2 1 1 2) w nil
    (same as_first) =
  if w 1%nat then laplace b 0 ^ 8 else laplace b 0 ^ 2 * laplace b 1 ^ 3 * laplace b (-1) ^ 3.
Proof.
  assert (first_is : as_first = 1 :: 1 :: 1 :: 0 :: 0 :: 0 :: 0 :: 0 :: nil).
  { unfold as_first. cbn [entries flat_map seq map app].
    unfold adds, move, earned, visit, one_if, stay. simpl. repeat (f_equal; try ring). }
  assert (nodes_are : nodes 2 1 1 2 = map (fun e => (1%nat, e)) (entries 2 1 1)) by reflexivity.
  assert (inside : holds (newest 1) 1 = true) by reflexivity.
  assert (each : forall e past, exact (1%nat :: nil) (add 2 1 1 staying) (1%nat, e) w past =
    adds (stay (w 1%nat)) e).
  { intros e past. unfold exact, add. rewrite sum_cons. cbn [fst snd]. rewrite inside. unfold sum.
    simpl. rewrite Rplus_0_r. reflexivity. }
  rewrite (chance_of_path _ _ _ _ _ _ nil as_first).
  - rewrite nodes_are, first_is. cbn [entries flat_map seq map app weight_of_path]. rewrite !each.
    unfold adds, move, earned, visit, one_if, stay. destruct (w 1%nat); simpl;
      repeat match goal with |- context [laplace b (?x - ?y)] =>
        first [replace (x - y) with 0 by ring | replace (x - y) with 1 by ring |
               replace (x - y) with (-1) by ring] end; ring.
  - repeat constructor; simpl; intuition lra.
  - rewrite first_is, nodes_are. reflexivity.
  - rewrite first_is. simpl. intuition.
Qed.

Theorem theorem_1_noise_not_5_99 : ~
  (forall (D : Type) (S A H T : nat) (walk : nat -> D -> list R -> trajectory)
    (users : list nat) (t : nat) (u v : nat -> D) (epsilon : R),
  (1 <= H)%nat -> (2 <= T)%nat -> 0 < epsilon -> NoDup users ->
  (forall j d past, possible S A H (walk j d past)) ->
  (forall j, j <> t -> u j = v j) ->
  let scale := 599 / 100 * INR H * INR (Nat.log2 (T - 1) + 1) / epsilon in
  forall values event,
    chance users (add S A H walk) (laplace scale) values (nodes S A H T) u nil event <=
    exp epsilon * chance users (add S A H walk) (laplace scale) values (nodes S A H T) v nil event).
Proof.
  intro less.
  specialize (less bool 2%nat 1%nat 1%nat 2%nat staying (1%nat :: nil) 1%nat
    (fun _ => true) (fun j => negb (Nat.eqb j 1)) 1 (le_n 1) (le_n 2) Rlt_0_1).
  assert (once : NoDup (1%nat :: nil)) by (repeat constructor; simpl; tauto).
  assert (fits : forall (j : nat) (d : bool) (past : list R),
    possible 2 1 1 (staying j d past)).
  { intros j d past. split; simpl; [intros; destruct d; lia |]. intros h _. split; [lia | lra]. }
  assert (differ : forall j, j <> 1%nat -> true = negb (Nat.eqb j 1)).
  { intros j other. destruct (Nat.eqb_spec j 1); [contradiction | reflexivity]. }
  specialize (less once fits differ (1 :: 0 :: nil) (same as_first)).
  set (b := 599 / 100 * INR 1 * INR (Nat.log2 (2 - 1) + 1) / 1) in *.
  assert (b_is : b = 599 / 100) by (unfold b; simpl; lra).
  rewrite !chance_as_first in less. cbn [Nat.eqb negb] in less.
  assert (zero : 0 < laplace b 0).
  { unfold laplace. apply Rmult_lt_0_compat; [apply exp_pos | apply Rinv_0_lt_compat; lra]. }
  assert (ratio : laplace b 1 = exp (- (1 / b)) * laplace b 0).
  { unfold laplace. rewrite Rabs_R0, Rabs_R1. unfold Rdiv at 1 4.
    rewrite <- Rmult_assoc, <- exp_plus. f_equal. f_equal. unfold Rdiv. ring. }
  assert (even : laplace b (-1) = laplace b 1) by
    (replace (-1) with (- (1)) by ring; unfold laplace; rewrite Rabs_Ropp; reflexivity).
  rewrite even, ratio in less.
  assert (gain : exp 1 * exp (- (1 / b)) ^ 6 < 1).
  { apply Rlt_le_trans with (exp 0); [| rewrite exp_0; apply Rle_refl].
    cbn [pow]. rewrite Rmult_1_r, <- !exp_plus. apply exp_increasing.
    rewrite b_is. replace (1 / (599 / 100)) with (100 / 599) by field. lra. }
  set (x := laplace b 0) in *. set (y := exp (- (1 / b))) in *.
  replace (exp 1 * (x ^ 2 * (y * x) ^ 3 * (y * x) ^ 3)) with ((exp 1 * y ^ 6) * x ^ 8) in less
    by ring.
  assert (power : 0 < x ^ 8) by (apply pow_lt; exact zero).
  apply (Rmult_lt_compat_r (x ^ 8)) in gain; [lra | exact power].
Qed.
