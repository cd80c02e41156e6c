(* vietri2020/lemma-7, corrected: two bandit instances that differ in one arm, at total variation d.
   An event on which that arm is pulled at most N times has probabilities within g^N, g = 1 +
   (e^epsilon - 1) d, under an epsilon-DP mechanism; no smaller factor will do; and the printed e^(6
   epsilon t alpha) fails for every epsilon >= 2.9184.

   Argument. An output fixes which arm is pulled in which round, so its probability is a function of
   the rewards of these rounds, and changes by at most e^epsilon with each of them. The rewards are
   independent. Average them out round by round: a round in which another arm is pulled costs
   nothing, a round of the arm costs g by the step of lemma-23 for one entry. An output with at most
   N such rounds costs at most g^N; add up the outputs of the event. Attained by N pulls of the arm
   and the answer that attains lemma-23. *)

Require Import Reals Lra Lia List Arith.
Require Import finite vietri2020_lemma_23.
Open Scope R_scope.

(* A mechanism for T rounds. An output o fixes the arms pulls o that are pulled, round by round (and
   the answer). Given the rewards that are then seen, in the order of the rounds, the output has the
   probability law_of o rewards. *)
Record bandit_mechanism (X O : Type) := { pulls : O -> list nat; law_of : O -> list X -> R }.
Arguments pulls {X O}.
Arguments law_of {X O}.

(* The data of the user of round t: her reward x t b for every arm b. What is seen of them when the
   output is o. *)
Definition seen {X O : Type} (M : bandit_mechanism X O) (x : nat -> nat -> X) (o : O) : list X :=
  map (fun round => x (fst round) (snd round)) (combine (seq 0 (length (pulls M o))) (pulls M o)).

Definition differ_in_user {X : Type} (t : nat) (x x' : nat -> nat -> X) : Prop := forall s,
  s <> t -> x s = x' s.

(* Differential privacy with respect to one user's rewards. *)
Definition bandit_private {X O : Type} (M : bandit_mechanism X O) (epsilon : R) : Prop :=
  (forall o rewards, 0 <= law_of M o rewards) /\
  (forall t x x' o, differ_in_user t x x' -> law_of M o (seen M x o) <= exp epsilon * law_of M o
    (seen M x' o)).

(* Whatever the rewards are, the outputs have a total probability of 1. *)
Definition is_law {X O : Type} (outputs : list O) (M : bandit_mechanism X O) : Prop :=
  forall x, sum outputs (fun o => law_of M o (seen M x o)) = 1.

(* Independent rewards: round by round the law of the arm that is pulled. *)
Fixpoint mean_over {X : Type} (l : list X) (laws : list (X -> R)) (f : list X -> R) : R :=
  match laws with
  | nil => f nil
  | p :: laws => sum l (fun x => p x * mean_over l laws (fun rest => f (x :: rest)))
  end.

(* The probability of an event when arm b has the law instance b. *)
Definition bandit_chance {X O : Type} (l : list X) (outputs : list O) (M : bandit_mechanism X O)
    (instance : nat -> X -> R) (event : O -> bool) : R :=
  sum outputs (fun o => if event o then mean_over l (map instance (pulls M o)) (law_of M o) else 0).

Lemma mean_over_monotone {X} (l : list X) laws f g :
  (forall p, In p laws -> forall x, 0 <= p x) -> (forall u, length u = length laws -> f u <= g u) ->
  mean_over l laws f <= mean_over l laws g.
Proof.
  revert f g. induction laws as [|p laws IH]; intros f g nonneg below; simpl;
    [apply below; reflexivity |].
  apply sum_le. intros x _. apply Rmult_le_compat_l; [apply nonneg; left; reflexivity |].
  apply IH; [intros q q_in; apply nonneg; right; exact q_in |]. intros u size. apply below. simpl.
  congruence.
Qed.

Lemma mean_over_scale {X} (l : list X) laws c f : mean_over l laws (fun u => c * f u) =
  c * mean_over l laws f.
Proof.
  revert f. induction laws as [|p laws IH]; intro f; simpl; [reflexivity |].
  rewrite <- sum_scale. apply sum_ext. intros x _. rewrite (IH (fun rest => f (x :: rest))). ring.
Qed.

Lemma mean_over_nonneg {X} (l : list X) laws f :
  (forall p, In p laws -> forall x, 0 <= p x) -> (forall u, 0 <= f u) -> 0 <= mean_over l laws f.
Proof.
  revert f. induction laws as [|p laws IH]; intros f nonneg f_nonneg; simpl; [apply f_nonneg |].
  apply sum_nonneg. intros x _. apply Rmult_le_pos; [apply nonneg; left; reflexivity |].
  apply IH; [intros q q_in; apply nonneg; right; exact q_in | intro; apply f_nonneg].
Qed.

Lemma variation_nonneg {X} (l : list X) p q : 0 <= total_variation l p q.
Proof.
  unfold total_variation. assert (0 <= sum l (fun x => Rabs (p x - q x))) by
    (apply sum_nonneg; intros; apply Rabs_pos).
  lra.
Qed.

(* One output: g for each pull of arm a. *)
Lemma one_output {X} (l : list X) (P Q : nat -> X -> R) (a : nat) (E : R) (arms : list nat)
  (f : list X -> R) :
  (forall b, law l (P b)) -> (forall b, law l (Q b)) ->
    (forall b, b <> a -> forall x, P b x = Q b x) -> 1 <= E ->
  (forall u v, length u = length arms -> neighbours u v -> f u <= E * f v) ->
  mean_over l (map P arms) f <=
  (1 + (E - 1) * total_variation l (P a) (Q a)) ^ count_occ Nat.eq_dec arms a * mean_over l
    (map Q arms) f.
Proof.
  intros law_P law_Q same E_one. set (d := total_variation l (P a) (Q a)).
  set (g := 1 + (E - 1) * d).
  assert (d_nonneg : 0 <= d) by apply variation_nonneg.
  assert (g_one : 1 <= g) by (unfold g; assert (0 <= (E - 1) * d) by (apply Rmult_le_pos; lra);
    lra).
  assert (laws : forall arms p, In p (map Q arms) -> forall x, 0 <= p x).
  { intros some p p_in. apply in_map_iff in p_in as (b & <- & _). apply law_Q. }
  revert f. induction arms as [|b arms IH]; intros f close; [simpl; lra |].
  cbn [map mean_over]. set (h := fun x => mean_over l (map Q arms) (fun rest => f (x :: rest))).
  set (c := count_occ Nat.eq_dec arms a).
  assert (step : sum l (fun x => P b x * mean_over l (map P arms) (fun rest => f (x :: rest))) <=
                 g ^ c * sum l (fun x => P b x * h x)).
  { rewrite <- sum_scale. apply sum_le. intros x _.
    replace (g ^ c * (P b x * h x)) with (P b x * (g ^ c * h x)) by ring.
    apply Rmult_le_compat_l; [apply law_P |]. apply IH. intros u v size near.
    apply close; [simpl; congruence | apply neighbours_cons; exact near]. }
  assert (power_pos : 0 < g ^ c) by (apply pow_lt; lra).
  destruct (Nat.eq_dec b a) as [-> | other].
  - rewrite count_occ_cons_eq by reflexivity. fold c. cbn [pow].
    assert (h_close : forall x y, h x <= E * h y + 0).
    { intros x y. rewrite Rplus_0_r. unfold h. rewrite <- mean_over_scale.
    apply mean_over_monotone; [apply laws |].
      intros u size. rewrite map_length in size.
      apply close; [simpl; congruence | apply neighbours_head]. }
    pose proof (one_entry l (P a) (Q a) E 0 h (law_P a) (law_Q a) E_one h_close) as first.
    fold d in first. fold g in first. rewrite Rmult_0_l, Rplus_0_r in first.
    apply (Rmult_le_compat_l (g ^ c)) in first; [| lra].
    eapply Rle_trans; [exact step |]. eapply Rle_trans; [exact first |]. right. unfold h. ring.
  - rewrite count_occ_cons_neq by exact other. fold c.
    eapply Rle_trans; [exact step |]. right. f_equal. apply sum_ext. intros x _.
    rewrite (same b other). reflexivity.
Qed.

(* Privacy of the mechanism is privacy in one reward that is seen. *)
Lemma seen_rewards {X O} (M : bandit_mechanism X O) o u :
  forall default, length u = length (pulls M o) -> seen M (fun t _ => nth t u default) o = u.
Proof.
  intros default size. unfold seen.
  replace (fun round : nat * nat => nth (fst round) u default) with
    (fun round : nat * nat => (fun t => nth t u default) (fst round))
    by reflexivity.
  rewrite <- (map_map fst (fun t => nth t u default)).
  assert (firsts : forall n (arms : list nat), length arms = n -> forall s,
    map fst (combine (seq s n) arms) = seq s n).
  { induction n as [|n IH]; intros [|b arms] same s; simpl in *; try congruence.
  rewrite IH by congruence. reflexivity. }
  rewrite firsts by reflexivity. rewrite <- size. clear. induction u as [|x u IH]; [reflexivity |].
  simpl. f_equal. rewrite <- seq_shift, map_map. exact IH.
Qed.

Lemma close_rewards {X O} (M : bandit_mechanism X O) epsilon o u v :
  bandit_private M epsilon -> length u = length (pulls M o) -> neighbours u v ->
  law_of M o u <= exp epsilon * law_of M o v.
Proof.
  intros [_ close] size near. destruct near as (before & x & y & after & u_is & v_is).
  assert (v_size : length v = length (pulls M o)).
  { rewrite <- size, u_is, v_is, !app_length. reflexivity. }
  rewrite <- (seen_rewards M o u x size), <- (seen_rewards M o v x v_size).
  apply (close (length before)). intros s other. rewrite u_is, v_is.
  destruct (Nat.lt_trichotomy s (length before)) as [less | [equal | more]]; [| contradiction |].
  - rewrite !app_nth1 by exact less. reflexivity.
  - rewrite !app_nth2 by lia. destruct (s - length before)%nat eqn:rest; [lia | reflexivity].
Qed.

Theorem lemma_7 : forall (X O : Type) (l : list X) (outputs : list O) (M : bandit_mechanism X O)
  (P Q : nat -> X -> R)
    (a N : nat) (epsilon : R) (event : O -> bool),
  (forall b, law l (P b)) -> (forall b, law l (Q b)) ->
    (forall b, b <> a -> forall x, P b x = Q b x) ->
  0 < epsilon -> bandit_private M epsilon ->
  (forall o, event o = true -> (count_occ Nat.eq_dec (pulls M o) a <= N)%nat) ->
  let d := total_variation l (P a) (Q a) in
  bandit_chance l outputs M P event <=
    (1 + (exp epsilon - 1) * d) ^ N * bandit_chance l outputs M Q event.
Proof.
  intros X O l outputs M P Q a N epsilon event law_P law_Q same positive M_private few d.
  pose proof (exp_more epsilon positive) as E_one.
  assert (d_nonneg : 0 <= d) by apply variation_nonneg.
  assert (g_one : 1 <= 1 + (exp epsilon - 1) * d).
  { assert (0 <= (exp epsilon - 1) * d) by (apply Rmult_le_pos; lra). lra. }
  unfold bandit_chance. rewrite <- sum_scale. apply sum_le. intros o _.
  destruct (event o) eqn:inside; [| lra].
  eapply Rle_trans.
  - apply (one_output l P Q a (exp epsilon)); try assumption; [lra |].
    intros u v size near. apply close_rewards; assumption.
  - apply Rmult_le_compat_r.
    + apply mean_over_nonneg; [| apply M_private]. intros p p_in.
      apply in_map_iff in p_in as (b & <- & _). apply law_Q.
    + apply Rle_pow; [exact g_one | apply few; exact inside].
Qed.

(* N pulls of arm 0, and the answer that attains lemma-23. *)
Definition one_arm (f : nat -> R) (N : nat) : bandit_mechanism bool bool :=
  {| pulls := fun _ => repeat 0%nat N; law_of := fun answer rewards => yes_or_no f rewards
    (Bool.eqb answer) |}.
Definition instance (d : R) (arm : nat) : bool -> R :=
  bernoulli (match arm with 0 => d | S _ => 0 end).

Lemma one_arm_chance f N d : bandit_chance coins coins (one_arm f N) (instance d) yes =
  chance coins (bernoulli d) N (yes_or_no f) yes.
Proof.
  assert (over : forall n h, mean_over coins (map (instance d) (repeat 0%nat n)) h =
    mean coins (bernoulli d) n h).
  { induction n as [|n IH]; intro h; [reflexivity |]. cbn [repeat map mean_over mean].
  apply sum_ext. intros x _.
    rewrite IH. reflexivity. }
  assert (two : forall F, sum coins F = F true + F false) by (intro F; unfold sum; simpl; ring).
  unfold bandit_chance. rewrite two. cbn [yes one_arm pulls]. rewrite over, Rplus_0_r.
  unfold chance. apply mean_ext. intros u _.
  unfold yes_or_no, yes. cbn [law_of one_arm Bool.eqb]. reflexivity.
Qed.

Lemma one_arm_private f N epsilon :
  0 < epsilon -> (forall k, (k <= N)%nat -> 0 <= f k <= 1) -> private N (yes_or_no f) epsilon 0 ->
  exists f', (forall k, (k <= N)%nat -> f' k = f k) /\ bandit_private (one_arm f' N) epsilon.
Proof.
  intros positive range close. exists (fun k => if Nat.leb k N then f k else 0). split.
  { intros k below. destruct (Nat.leb_spec k N); [reflexivity | lia]. }
  split.
  - intros o rewards. cbn [law_of one_arm]. unfold yes_or_no.
    destruct (Nat.leb_spec (ones rewards) N) as [below | _].
    + specialize (range _ below). destruct o; simpl; lra.
    + destruct o; simpl; lra.
  - intros t x x' o differ.
    assert (size : forall y : nat -> nat -> bool, length (seen (one_arm f N) y o) = N).
    { intro y. unfold seen. cbn [pulls one_arm]. rewrite map_length, combine_length, seq_length,
      repeat_length. lia. }
    assert (bounded : forall y, (ones (seen (one_arm f N) y o) <= N)%nat)
      by (intro y; rewrite <- (size y) at 2; apply ones_at_most).
    assert (equal : forall y, yes_or_no (fun k => if Nat.leb k N then f k else 0)
      (seen (one_arm f N) y o) (Bool.eqb o) =
              yes_or_no f (seen (one_arm f N) y o) (Bool.eqb o)).
    { intro y. unfold yes_or_no. pose proof (bounded y).
    destruct (Nat.leb_spec (ones (seen (one_arm f N) y o)) N); [reflexivity | lia]. }
    change (yes_or_no (fun k => if Nat.leb k N then f k else 0) (seen (one_arm f N) x o)
      (Bool.eqb o) <=
            exp epsilon * yes_or_no (fun k => if Nat.leb k N then f k else 0)
              (seen (one_arm f N) x' o) (Bool.eqb o)).
    rewrite !equal.
    destruct (Nat.lt_ge_cases t N) as [inside | outside].
    + rewrite <- (Rplus_0_r (exp epsilon * _)). apply close; [apply size |].
      unfold seen. cbn [pulls one_arm]. rewrite repeat_length.
      assert (parts : N = (t + S (N - t - 1))%nat) by lia.
      rewrite parts. rewrite seq_app, repeat_app.
      assert (split_pairs : forall (A B : Type) (u u' : list A) (w w' : list B), length u =
        length w ->
                combine (u ++ u') (w ++ w') = combine u w ++ combine u' w').
      { intros A B u. induction u as [|e u IH]; intros u' [|e' w] w' same; simpl in *;
        try congruence.
        rewrite IH by congruence. reflexivity. }
      rewrite split_pairs by (rewrite seq_length, repeat_length; reflexivity).
      rewrite !map_app. cbn [seq repeat combine map fst snd]. rewrite Nat.add_0_l.
      assert (same_before : forall y y' : nat -> nat -> bool, (forall s, s <> t -> y s = y' s) ->
        forall n s (arms : list nat), (s + n <= t \/ t < s)%nat ->
        map (fun round : nat * nat => y (fst round) (snd round)) (combine (seq s n) arms) =
        map (fun round : nat * nat => y' (fst round) (snd round)) (combine (seq s n) arms)).
      { intros y y' agree n. induction n as [|n IH]; intros s [|b arms] away; simpl;
        try reflexivity.
        f_equal; [rewrite agree by lia; reflexivity | apply IH; lia]. }
      rewrite (same_before x x' differ t 0%nat),
        (same_before x x' differ (N - t - 1)%nat (S t)) by lia.
      eexists _, _, _, _. split; reflexivity.
    + replace (seen (one_arm f N) x o) with (seen (one_arm f N) x' o).
      * pose proof (range _ (bounded x')) as here.
        assert (0 <= yes_or_no f (seen (one_arm f N) x' o) (Bool.eqb o)).
        { unfold yes_or_no. destruct o; simpl; lra. }
        pose proof (exp_more epsilon positive). nra.
      * unfold seen. cbn [pulls one_arm]. rewrite repeat_length. apply map_ext_in.
        intros [s b] pair_in.
        apply in_combine_l in pair_in. apply in_seq in pair_in. simpl. rewrite differ by lia.
        reflexivity.
Qed.

Lemma one_arm_law f N : is_law coins (one_arm f N).
Proof.
  intro x. unfold sum, seen. cbn [fold_right coins pulls law_of one_arm].
  unfold yes_or_no. cbn [Bool.eqb].
  lra.
Qed.

(* No smaller factor: every N, epsilon and d. *)
Theorem lemma_7_attained : forall (N : nat) (epsilon d : R), 0 < epsilon -> 0 <= d <= 1 ->
  exists M : bandit_mechanism bool bool, is_law coins M /\ bandit_private M epsilon /\
    (forall o, (count_occ Nat.eq_dec (pulls M o) 0 <= N)%nat) /\
    0 < bandit_chance coins coins M (instance 0) yes /\
    bandit_chance coins coins M (instance d) yes =
    (1 + (exp epsilon - 1) * d) ^ N * bandit_chance coins coins M (instance 0) yes.
Proof.
  intros N epsilon d positive range.
  destruct (lemma_23_attained N epsilon d positive range) as (small & small_pos & attained).
  destruct (attained small 0) as (f & f_range & f_private & at_zeros & at_coins); [lra | lra |].
  destruct (one_arm_private f N epsilon positive f_range f_private) as (f' & same & M_private).
  exists (one_arm f' N). split; [apply one_arm_law |]. split; [exact M_private |]. split.
  - intro o. cbn [pulls one_arm]. eapply Nat.le_trans; [apply count_occ_bound |].
    rewrite repeat_length. lia.
  - assert (equal : forall p, chance coins p N (yes_or_no f') yes =
      chance coins p N (yes_or_no f) yes).
    { intro p. apply mean_ext. intros u size. unfold yes_or_no. rewrite same; [reflexivity |].
      rewrite <- size. apply ones_at_most. }
    rewrite !one_arm_chance, !equal, at_zeros, at_coins. split; [exact small_pos |].
    unfold Rdiv. rewrite !Rmult_0_l, Rplus_0_r. reflexivity.
Qed.

Lemma instance_law d b : 0 <= d <= 1 -> law coins (instance d b).
Proof. intro range. apply bernoulli_law. destruct b; lra. Qed.

(* The mutants: N - 1 in the exponent is too little, and N + 1 is not attained by anything. *)
Theorem lemma_7_not_another_power : forall (N : nat) (epsilon d : R),
  (1 <= N)%nat -> 0 < epsilon -> 0 < d <= 1 ->
  ~ (forall M : bandit_mechanism bool bool, is_law coins M -> bandit_private M epsilon ->
       (forall o, (count_occ Nat.eq_dec (pulls M o) 0 <= N)%nat) ->
       bandit_chance coins coins M (instance d) yes <=
       (1 + (exp epsilon - 1) * d) ^ (N - 1) * bandit_chance coins coins M (instance 0) yes) /\
  ~ (exists M : bandit_mechanism bool bool, is_law coins M /\ bandit_private M epsilon /\
       (forall o, (count_occ Nat.eq_dec (pulls M o) 0 <= N)%nat) /\
       0 < bandit_chance coins coins M (instance 0) yes /\
       bandit_chance coins coins M (instance d) yes =
       (1 + (exp epsilon - 1) * d) ^ (N + 1) * bandit_chance coins coins M (instance 0) yes).
Proof.
  intros N epsilon d one positive range.
  assert (growth : 0 < (exp epsilon - 1) * d).
  { apply Rmult_lt_0_compat; [pose proof (exp_more epsilon positive) |]; lra. }
  split.
  - intro less.
    destruct (lemma_7_attained N epsilon d positive) as (M & sums & M_private & few & nonzero & equal);
      [lra |].
    specialize (less M sums M_private few). rewrite equal in less.
    apply Rmult_le_reg_r in less; [| exact nonzero].
    destruct N as [|N]; [lia |]. replace (S N - 1)%nat with N in less by lia.
    assert (0 < (1 + (exp epsilon - 1) * d) ^ N) by (apply pow_lt; lra). cbn [pow] in less. nra.
  - intros (M & _ & M_private & few & nonzero & equal).
    pose proof (lemma_7 bool bool coins coins M (instance d) (instance 0) 0 N epsilon yes) as bound.
    assert (apart : total_variation coins (instance d 0) (instance 0 0) = d)
      by (apply bernoulli_apart; lra).
    cbv zeta in bound. rewrite apart, equal in bound.
    assert (most : (1 + (exp epsilon - 1) * d) ^ (N + 1) * bandit_chance coins coins M (instance 0) yes
      <= (1 + (exp epsilon - 1) * d) ^ N * bandit_chance coins coins M (instance 0) yes).
    { apply bound; try assumption.
      - intro b. apply instance_law. lra.
      - intro b. apply instance_law. lra.
      - intros [|b] other x; [congruence | reflexivity].
      - intros o _. apply few. }
    apply Rmult_le_reg_r in most; [| exact nonzero]. rewrite Nat.add_1_r in most.
    assert (0 < (1 + (exp epsilon - 1) * d) ^ N) by (apply pow_lt; lra). cbn [pow] in most. nra.
Qed.

Lemma exceeded x : exists n : nat, x < INR n.
Proof.
  exists (Z.to_nat (up x)). destruct (archimed x) as [above _]. rewrite INR_IZR_INZ.
  apply Rlt_le_trans with (IZR (up x)); [lra |]. apply IZR_le. lia.
Qed.

(* The printed factor, for an event with fewer than t pulls of an arm whose laws differ by d < alpha:
   it fails for every epsilon >= 2.9184, where alpha is small, d close enough to it, and then t
   large. *)
Theorem lemma_7_printed_fails : forall epsilon, 2.9184 <= epsilon ->
  exists edge, 0 < edge <= 1 /\ forall alpha, 0 < alpha < edge ->
    exists d, 0 < d < alpha /\
    exists t_least : nat, forall t, (t_least <= t)%nat ->
      exists M : bandit_mechanism bool bool, is_law coins M /\ bandit_private M epsilon /\
        (forall o, (count_occ Nat.eq_dec (pulls M o) 0 < t)%nat) /\
        exp (6 * epsilon * INR t * alpha) * bandit_chance coins coins M (instance 0) yes <
        bandit_chance coins coins M (instance d) yes.
Proof.
  intros epsilon large. destruct (factor_six_too_small epsilon large) as (edge & edge_range & more).
  exists edge. split; [exact edge_range |]. intros alpha [alpha_pos small].
  set (u := exp epsilon - 1).
  assert (u_pos : 0 < u) by (pose proof (exp_more epsilon ltac:(lra)); unfold u; lra).
  set (at_alpha := 1 + u * alpha).
  assert (factor : exp (6 * epsilon * alpha) < at_alpha) by (apply more; lra).
  assert (product : 0 < u * alpha) by (apply Rmult_lt_0_compat; assumption).
  assert (at_alpha_one : 1 < at_alpha) by (unfold at_alpha; lra).
  assert (log : 6 * epsilon * alpha < ln at_alpha).
  { rewrite <- (ln_exp (6 * epsilon * alpha)). apply ln_increasing; [apply exp_pos | exact factor]. }
  assert (six : 0 < 6 * epsilon * alpha) by (apply Rmult_lt_0_compat; lra).
  set (gap := ln at_alpha - 6 * epsilon * alpha).
  assert (gap_pos : 0 < gap) by (unfold gap; lra).
  assert (gap_small : gap < u * alpha).
  { pose proof (exp_ineq1_le (u * alpha)) as tangent.
    assert (ln at_alpha <= u * alpha); [| unfold gap; lra].
    rewrite <- (ln_exp (u * alpha)).
    destruct (Rle_lt_or_eq_dec _ _ tangent) as [less | same];
      [left; apply ln_increasing; unfold at_alpha; lra | right; unfold at_alpha; rewrite same;
      reflexivity]. }
  (* so close to alpha that half of the gap is left *)
  set (d := alpha - gap / (2 * u)).
  assert (close : 0 < gap / (2 * u) < alpha).
  { split; [apply Rdiv_lt_0_compat; lra |]. apply (Rmult_lt_reg_r (2 * u)); [lra |].
    replace (gap / (2 * u) * (2 * u)) with gap by (field; lra).
    replace (alpha * (2 * u)) with (2 * (u * alpha)) by ring. lra. }
  exists d. split; [unfold d; lra |].
  set (g := 1 + u * d).
  assert (g_is : g = at_alpha - gap / 2) by (unfold g, d, at_alpha; field; lra).
  assert (g_one : 1 < g) by (rewrite g_is; unfold at_alpha; lra).
  assert (half : 6 * epsilon * alpha + gap / 2 <= ln g).
  { assert (ratio : at_alpha = g * (1 + gap / 2 / g))
      by (replace (g * (1 + gap / 2 / g)) with (g + gap / 2) by (field; lra); lra).
    assert (share : 0 < gap / 2 / g) by (repeat (apply Rdiv_lt_0_compat; try lra)).
    assert (less_share : gap / 2 / g <= gap / 2).
    { apply (Rmult_le_reg_r g); [lra |]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. nra. }
    assert (ln at_alpha <= ln g + gap / 2); [| unfold gap in *; lra].
    rewrite ratio, ln_mult by lra. apply Rplus_le_compat_l.
    apply Rle_trans with (gap / 2 / g); [| exact less_share].
    rewrite <- (ln_exp (gap / 2 / g)) at 2. pose proof (exp_ineq1_le (gap / 2 / g)) as tangent.
    destruct (Rle_lt_or_eq_dec _ _ tangent) as [less | same];
      [left; apply ln_increasing; lra | rewrite <- same; lra]. }
  destruct (exceeded (ln g / (gap / 2) + 1)) as [t_least enough].
  exists t_least. intros t late.
  assert (t_large : ln g / (gap / 2) + 1 < INR t) by (apply le_INR in late; lra).
  assert (ratio : 0 < ln g / (gap / 2)) by (apply Rdiv_lt_0_compat; lra).
  assert (room : ln g < INR t * (gap / 2)).
  { replace (ln g) with (ln g / (gap / 2) * (gap / 2)) by (field; lra).
    apply Rmult_lt_compat_r; lra. }
  assert (t_pos : 0 < INR t) by lra.
  assert (t_one : (1 <= t)%nat) by (destruct t; [simpl in t_pos; lra | lia]).
  destruct (lemma_7_attained (t - 1) epsilon d) as (M & sums & M_private & few & nonzero & equal);
    [lra | unfold d; lra |].
  exists M. split; [exact sums |]. split; [exact M_private |].
  split; [intro o; specialize (few o); lia |].
  rewrite equal. apply Rmult_lt_compat_r; [exact nonzero |]. fold u. fold g.
  rewrite <- (exp_ln g) at 1 by lra. rewrite <- exp_times. apply exp_increasing.
  rewrite minus_INR by exact t_one. simpl (INR 1).
  apply (Rmult_le_compat_l (INR t)) in half; [| lra]. lra.
Qed.

(* Where the printed factor holds: epsilon at most 2.9183, with d for alpha. *)
Theorem lemma_7_printed_factor : forall (X O : Type) (l : list X) (outputs : list O)
  (M : bandit_mechanism X O)
    (P Q : nat -> X -> R) (a t : nat) (epsilon : R) (event : O -> bool),
  (forall b, law l (P b)) -> (forall b, law l (Q b)) ->
    (forall b, b <> a -> forall x, P b x = Q b x) ->
  0 < epsilon <= 2.9183 -> bandit_private M epsilon ->
  (forall o, event o = true -> (count_occ Nat.eq_dec (pulls M o) a < t)%nat) ->
  let d := total_variation l (P a) (Q a) in
  bandit_chance l outputs M P event <=
  exp (6 * epsilon * INR (t - 1) * d) * bandit_chance l outputs M Q event.
Proof.
  intros X O l outputs M P Q a t epsilon event law_P law_Q same range M_private few d.
  eapply Rle_trans.
  - apply (lemma_7 X O l outputs M P Q a (t - 1) epsilon event); try assumption; [lra |].
    intros o inside. specialize (few o inside). lia.
  - apply Rmult_le_compat_r.
    + unfold bandit_chance. apply sum_nonneg. intros o _. destruct (event o); [| lra].
      apply mean_over_nonneg; [| apply M_private]. intros p p_in.
      apply in_map_iff in p_in as (b & <- & _). apply law_Q.
    + apply powers_of_six; [exact range | apply variation_nonneg].
Qed.
