(* chowdhury2021/tree-levels: with K episodes and the releases of the sums over the first k - 1 of
   them, k = 1, ..., K, every episode lies in at most m = ceil(log2 K) partial sums, and at most m
   partial sums make up a release; m is attained.

   Argument. A partial sum covers a dyadic block a 2^l < i <= (a + 1) 2^l. An episode lies in one
   block of each level l, because the level and the episode fix a. The block is complete when 2^l <=
   (a + 1) 2^l <= K - 1 < K, so l < ceil(log2 K): at most that many levels. The first episode lies
   in the blocks a = 0 of all of these levels. A release over 1..t is made up of one block for each
   binary digit 1 of t: with 2 t items the blocks of t one level higher, with 2 t + 1 items one
   single item more. So 2^(number of blocks - 1) <= t < K. *)

Require Import Arith Lia List PArith FinFun.

(* A block is its level and its index; episodes are numbered from 1. *)
Definition block : Type := nat * nat.
Definition holds (b : block) (i : nat) : bool :=
  (Nat.ltb (snd b * 2 ^ fst b) i && Nat.leb i ((snd b + 1) * 2 ^ fst b))%bool.
Definition complete (b : block) (t : nat) : Prop := (snd b + 1) * 2 ^ fst b <= t.

(* The blocks that make up the release over the episodes 1..t, by the binary digits of t, the lowest
   first. *)
Definition higher (b : block) : block := (S (fst b), snd b).
Fixpoint digits (t : positive) : list block :=
  match t with
  | xH => (0, 0) :: nil
  | xO t => map higher (digits t)
  | xI t => (0, 2 * Pos.to_nat t) :: map higher (digits t)
  end.
Definition release (t : nat) : list block := match t with 0 => nil |
  S _ => digits (Pos.of_nat t) end.

Lemma level_fixes_index b c i : holds b i = true -> holds c i = true -> fst b = fst c -> b = c.
Proof.
  destruct b as [l a], c as [l' a']. unfold holds; cbn [fst snd]. intros in_b in_c same. subst l'.
  apply andb_prop in in_b as [low_b high_b]. apply andb_prop in in_c as [low_c high_c].
  apply Nat.ltb_lt in low_b, low_c. apply Nat.leb_le in high_b, high_c. f_equal.
  assert (0 < 2 ^ l) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  destruct (Nat.lt_trichotomy a a') as [less | [equal | more]]; [| exact equal |]; exfalso.
  - assert ((a + 1) * 2 ^ l <= a' * 2 ^ l) by (apply Nat.mul_le_mono_r; lia). lia.
  - assert ((a' + 1) * 2 ^ l <= a * 2 ^ l) by (apply Nat.mul_le_mono_r; lia). lia.
Qed.

Lemma level_below b t K : complete b t -> t < K -> fst b < Nat.log2_up K.
Proof.
  unfold complete. intros done before. apply Nat.log2_up_lt_pow2; [lia |].
  apply Nat.le_lt_trans with t; [| exact before].
  apply Nat.le_trans with ((snd b + 1) * 2 ^ fst b); [| exact done].
  rewrite <- (Nat.mul_1_l (2 ^ fst b)) at 1.
  apply Nat.mul_le_mono_r. lia.
Qed.

Lemma holds_higher b i : holds (higher b) i = holds b ((i + 1) / 2).
Proof.
  destruct b as [l a]. unfold holds, higher; cbn [fst snd]. rewrite Nat.pow_succ_r'.
  pose proof (Nat.div_mod (i + 1) 2 ltac:(lia)) as halves.
  pose proof (Nat.mod_upper_bound (i + 1) 2 ltac:(lia)) as rest.
  set (x := a * 2 ^ l). assert (next : (a + 1) * 2 ^ l = x + 2 ^ l) by (unfold x; ring).
  replace (a * (2 * 2 ^ l)) with (2 * x) by (unfold x; ring).
  replace ((a + 1) * (2 * 2 ^ l)) with (2 * (x + 2 ^ l)) by (unfold x; ring). rewrite next.
  set (y := 2 ^ l) in *. set (j := (i + 1) / 2) in *.
  destruct (Nat.ltb_spec (2 * x) i), (Nat.ltb_spec x j), (Nat.leb_spec i (2 * (x + y))),
    (Nat.leb_spec j (x + y));
    cbn [andb]; try reflexivity; lia.
Qed.

Lemma filter_higher l i :
  length (filter (fun b => holds b i) (map higher l)) =
    length (filter (fun b => holds b ((i + 1) / 2)) l).
Proof.
  induction l as [|b l IH]; [reflexivity |]. cbn [map filter]. rewrite holds_higher.
  destruct (holds b ((i + 1) / 2)); cbn [length]; rewrite IH; reflexivity.
Qed.

Lemma digits_cover t i : 1 <= i ->
  length (filter (fun b => holds b i) (digits t)) = if Nat.leb i (Pos.to_nat t) then 1 else 0.
Proof.
  revert i. induction t as [t IH | t IH |]; intros i first; cbn [digits].
  - pose proof (Nat.div_mod (i + 1) 2 ltac:(lia)) as halves.
    pose proof (Nat.mod_upper_bound (i + 1) 2 ltac:(lia)) as rest.
    assert (own : holds (0, 2 * Pos.to_nat t) i = Nat.eqb i (2 * Pos.to_nat t + 1)).
    { unfold holds. cbn [fst snd Nat.pow]. rewrite !Nat.mul_1_r.
      destruct (Nat.ltb_spec (2 * Pos.to_nat t) i), (Nat.leb_spec i (2 * Pos.to_nat t + 1)),
        (Nat.eqb_spec i (2 * Pos.to_nat t + 1)); simpl; try reflexivity; lia. }
    cbn [filter]. rewrite own, Pos2Nat.inj_xI.
    destruct (Nat.eqb_spec i (2 * Pos.to_nat t + 1)) as [last | before]; cbn [length];
      rewrite filter_higher, IH by lia;
      destruct (Nat.leb_spec ((i + 1) / 2) (Pos.to_nat t)), (Nat.leb_spec i (S (2 * Pos.to_nat t)));
        lia.
  - pose proof (Nat.div_mod (i + 1) 2 ltac:(lia)) as halves.
    pose proof (Nat.mod_upper_bound (i + 1) 2 ltac:(lia)) as rest.
    rewrite filter_higher, IH, Pos2Nat.inj_xO by lia.
    destruct (Nat.leb_spec ((i + 1) / 2) (Pos.to_nat t)), (Nat.leb_spec i (2 * Pos.to_nat t)); lia.
  - destruct i as [|[|i]]; [lia | reflexivity |]. reflexivity.
Qed.

Lemma digits_complete t b : In b (digits t) -> complete b (Pos.to_nat t).
Proof.
  revert b. induction t as [t IH | t IH |]; intros b b_in; cbn [digits] in b_in.
  - destruct b_in as [<- | b_in]; [unfold complete; simpl; lia |].
    apply in_map_iff in b_in as (c & <- & c_in). specialize (IH c c_in).
    unfold complete, higher in *. simpl.
    rewrite Pos2Nat.inj_xI. nia.
  - apply in_map_iff in b_in as (c & <- & c_in). specialize (IH c c_in).
    unfold complete, higher in *. simpl.
    rewrite Pos2Nat.inj_xO. nia.
  - destruct b_in as [<- | []]. unfold complete; simpl; lia.
Qed.

Lemma digits_few t : 2 ^ length (digits t) <= 2 * Pos.to_nat t.
Proof.
  induction t as [t IH | t IH |]; cbn [digits].
  - cbn [length]. rewrite map_length, Pos2Nat.inj_xI. simpl in *. lia.
  - rewrite map_length, Pos2Nat.inj_xO. lia.
  - simpl. lia.
Qed.

Lemma digits_nonempty t : length (digits t) <> 0.
Proof. induction t as [t IH | t IH |]; cbn [digits length]; rewrite ?map_length;
  [lia | exact IH | lia]. Qed.

Lemma positive_of t : t <> 0 -> Pos.to_nat (Pos.of_nat t) = t.
Proof. apply Nat2Pos.id. Qed.

Theorem tree_levels : forall K : nat, 1 <= K ->
  let m := Nat.log2_up K in
  (* every episode lies in at most m partial sums that some release up to K - 1 can use *)
  (forall i (blocks : list block), NoDup blocks ->
     (forall b, In b blocks -> holds b i = true /\ complete b (K - 1)) -> length blocks <= m) /\
  (* at most m partial sums make up a release, and hold each of its episodes once *)
  (forall k, 1 <= k <= K -> length (release (k - 1)) <= m /\
     (forall b, In b (release (k - 1)) -> complete b (k - 1)) /\
     (forall i, 1 <= i <= k - 1 -> length (filter (fun b => holds b i) (release (k - 1))) = 1)) /\
  (* the first episode lies in m *)
  (exists blocks, NoDup blocks /\ length blocks = m /\
     (forall b, In b blocks -> holds b 1 = true /\ complete b (K - 1))).
Proof.
  intros K one m. split; [| split].
  - intros i blocks once inside.
    replace (length blocks) with (length (map (fun b : block => fst b) blocks)) by apply map_length.
    apply Nat.le_trans with (length (seq 0 m)); [| rewrite seq_length; apply Nat.le_refl].
    apply NoDup_incl_length.
    + clear one m. induction blocks as [|b blocks IH]; [constructor |].
      inversion once as [| ? ? b_new blocks_once]; subst. simpl. constructor.
      * intro level_in. apply in_map_iff in level_in as (c & same & c_in). apply b_new.
        replace b with c; [exact c_in |].
        apply (level_fixes_index c b i); [apply inside; right; exact c_in | apply inside; left;
          reflexivity | exact same].
      * apply IH; [exact blocks_once |]. intros c c_in. apply inside. right. exact c_in.
    + intros l l_in. apply in_map_iff in l_in as (b & <- & b_in). apply in_seq. split; [lia |].
      simpl. apply (level_below b (K - 1)); [apply inside; exact b_in | lia].
  - intros k [k_one k_last]. destruct (Nat.eq_dec (k - 1) 0) as [none | some].
    + rewrite none. simpl. split; [lia |]. split; [intros b [] | intros; lia].
    + assert (released : release (k - 1) = digits (Pos.of_nat (k - 1)))
        by (unfold release; destruct (k - 1); [congruence | reflexivity]).
      pose proof (positive_of (k - 1) some) as back. rewrite released. split; [| split].
      * pose proof (digits_few (Pos.of_nat (k - 1))) as few.
        pose proof (digits_nonempty (Pos.of_nat (k - 1))).
        rewrite back in few. destruct (length (digits (Pos.of_nat (k - 1)))) as [|n]; [lia |].
        apply Nat.log2_up_lt_pow2; [lia |]. simpl in few. lia.
      * intros b b_in. rewrite <- back. apply digits_complete. exact b_in.
      * intros i [i_one i_last]. rewrite digits_cover, back by exact i_one.
        destruct (Nat.leb_spec i (k - 1)); lia.
  - exists (map (fun l => (l, 0)) (seq 0 m)). split; [| split].
    + apply Injective_map_NoDup; [intros l l' same; congruence | apply seq_NoDup].
    + rewrite map_length, seq_length. reflexivity.
    + intros b b_in. apply in_map_iff in b_in as (l & <- & l_in). apply in_seq in l_in.
      assert (below : 2 ^ l < K) by (apply Nat.log2_up_lt_pow2; [lia | unfold m in l_in; lia]).
      assert (0 < 2 ^ l) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
      unfold holds, complete; cbn [fst snd]. rewrite Nat.mul_0_l, Nat.add_0_l, Nat.mul_1_l.
      split; [| lia].
      apply andb_true_intro. split; [reflexivity | apply Nat.leb_le; lia].
Qed.

(* The mutant: one level less is never enough. *)
Theorem tree_levels_not_one_less : forall K, 2 <= K ->
  ~ (forall i (blocks : list block), NoDup blocks ->
       (forall b, In b blocks -> holds b i = true /\ complete b (K - 1)) -> length blocks <=
         Nat.log2_up K - 1).
Proof.
  intros K two less. destruct (tree_levels K) as (_ & _ & blocks & once & size & inside); [lia |].
  specialize (less 1 blocks once inside). rewrite size in less.
  assert (0 < Nat.log2_up K) by (apply Nat.log2_up_pos; lia). lia.
Qed.

(* Nor is m enough when the last episode's data are inserted as well and K is a power of two. *)
Theorem tree_levels_not_all_episodes : forall p,
  ~ (forall i (blocks : list block), NoDup blocks ->
       (forall b, In b blocks -> holds b i = true /\ complete b (2 ^ p)) -> length blocks <=
         Nat.log2_up (2 ^ p)).
Proof.
  intros p less. destruct (tree_levels (2 ^ p + 1)) as (_ & _ & blocks & once & size & inside);
    [lia |].
  replace (2 ^ p + 1 - 1) with (2 ^ p) in inside by lia.
  specialize (less 1 blocks once inside). rewrite size, Nat.log2_up_pow2 in less by lia.
  assert (0 < 2 ^ p) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  assert (p < Nat.log2_up (2 ^ p + 1)) by (apply Nat.log2_up_lt_pow2; lia). lia.
Qed.
