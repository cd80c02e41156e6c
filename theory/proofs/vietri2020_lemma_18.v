(* vietri2020, Lemma 18: refuted. "On the good event V*_1 - V^pi_1 <= sum_x w(x) conf(x)" fails at
   S = H = 1, A = 2 (logarithms natural), on a history in which PUCB itself plays.

   At S = H = 1 the gap of an episode is max_a r(a) - r(a_t), w is 1 for the arm that is played, and
   conf = 2 phi~ + psi~ where n~ >= 2E, otherwise H = 1. Ties go to the first arm, which is the bad
   one. The good arm always pays 1 and is never tried: its Q~+ is H = 1. The bad arm pays
   x = 0.505 in every episode, although it pays x only with probability 0.489/x and otherwise 0:
   its mean 0.489 is within phi^ of x in every episode, so the good event holds. With
   T = 100000, beta = 0.1, epsilon = 1 and the printed E, x + conf(n~) >= 1 in every episode, so
   Q~+ of the bad arm is 1 too, and PUCB plays it. In the last episode conf < 0.503, and the gap is
   1 - 0.489 = 0.511. All released counts may err by up to 1, a set of noises of positive
   probability; so has the history.

   The bonus pays for the optimism of the index; the estimate's own error comes on top of it. At
   S = H = 1 it is at most half as much: gap <= (3/2) conf, which is proved below as the mutant's
   negation. *)

Require Import Reals Lra Lia List Arith.
Set Warnings "-ambiguous-paths".
From Interval Require Import Specific_stdz Specific_ops Tactic.
Import ListNotations.
Open Scope R_scope.

(* Interval arithmetic over the standard library's integers, which needs no axiom on machine
   numbers as the default does. *)
Module Numbers := SpecificFloat StdZRadix2.
Module Evaluation := Tactic.IntervalTactic Numbers.
Import Evaluation.

(* ---- laws of rewards: lists of (probability, reward) ---- *)

Definition law := list (R * R).

Definition legal_law (l : law) : Prop :=
  (forall p v, In (p, v) l -> 0 < p /\ 0 <= v <= 1) /\
  fold_right (fun pv sum => fst pv + sum) 0 l = 1.

Definition mean (l : law) : R := fold_right (fun pv sum => fst pv * snd pv + sum) 0 l.

(* v has positive probability *)
Definition possible (l : law) (v : R) : Prop := exists p, 0 < p /\ In (p, v) l.

(* ---- PUCB at S = H = 1, A = 2 ---- *)

(* Counts of arm a before episode t; the episodes are 0, .., T - 1. *)
Fixpoint visits (arm : nat -> nat) (a t : nat) : nat :=
  match t with
  | O => 0
  | S i => visits arm a i + (if arm i =? a then 1 else 0)
  end.

Fixpoint rewards (arm : nat -> nat) (reward : nat -> R) (a t : nat) : R :=
  match t with
  | O => 0
  | S i => rewards arm reward a i + (if arm i =? a then reward i else 0)
  end.

(* sum_{i < t} w_i(a): a deterministic policy and one state *)
Fixpoint weights (arm : nat -> nat) (a t : nat) : R :=
  match t with
  | O => 0
  | S i => weights arm a i + (if arm i =? a then 1 else 0)
  end.

Section Agent.

Variable T : nat.
Variables beta epsilon : R.

(* beta' = beta/4, 2SAH + S^2AH = 6, SAH = 2 *)
Definition width : R := 3 / epsilon * ln (6 / (beta / 4)) * Rpower (ln (INR T)) (5 / 2).
Definition logarithm : R := 2 * ln (INR T / (beta / 4)).
Definition phi_hat (n : nat) : R := sqrt (logarithm / INR n).
Definition phi_tilde (n : R) : R := sqrt (logarithm / Rmax (n - width) 1).
Definition psi (n : R) : R := (1 + 1 * 1) * (3 * width / n + 2 * width ^ 2 / n ^ 2).

Definition conf (n : R) : R :=
  if Rle_dec (2 * width) n then (1 + 1) * phi_tilde n + psi n else 1.

(* Q~+, with Q~+ = H where n~ < 2E *)
Definition Q_plus (n r : R) : R :=
  if Rle_dec (2 * width) n then Rmin 1 (r / n + conf n) else 1.

(* ties to the first arm *)
Definition greedy (Q : nat -> R) : nat := if Rle_dec (Q 1%nat) (Q 0%nat) then 0%nat else 1%nat.

Record history := {
  arm : nat -> nat;
  reward : nat -> R;
  nt : nat -> nat -> R;    (* released counts of visits, rewards and moves, by episode and arm *)
  rt : nat -> nat -> R;
  mt : nat -> nat -> R
}.

Definition plays (x : history) : Prop := forall t, (t < T)%nat ->
  arm x t = greedy (fun a => Q_plus (nt x t a) (rt x t a)).

Definition rewarded (laws : nat -> law) (x : history) : Prop := forall t, (t < T)%nat ->
  possible (laws (arm x t)) (reward x t).

(* None of F^N, F^R, F^V, F^PR, F^PN, F^PM in any episode. At H = 1 V*_2 = 0; with one state every
   visit is a move to it. *)
Definition good_event (laws : nat -> law) (x : history) : Prop :=
  forall t a, (t < T)%nat -> (a < 2)%nat ->
    let n := visits (arm x) a t in
    let r := rewards (arm x) (reward x) a t in
    INR n >= 1 / 2 * weights (arm x) a t - ln (2 / (beta / 4)) /\
    ((1 <= n)%nat -> Rabs (r / INR n - mean (laws a)) < phi_hat n) /\
    ((1 <= n)%nat -> Rabs ((INR n / INR n - 1) * 0) < 1 * phi_hat n) /\
    Rabs (rt x t a - r) < width /\ Rabs (nt x t a - INR n) < width /\
    Rabs (mt x t a - INR n) < width.

Definition gap (laws : nat -> law) (x : history) (t : nat) : R :=
  Rmax (mean (laws 0%nat)) (mean (laws 1%nat)) - mean (laws (arm x t)).

End Agent.

(* Lemma 18 at S = H = 1, A = 2, with a factor before the sum; the paper's is 1. *)
Definition lemma_18 (factor : R) : Prop :=
  forall (T : nat) (beta epsilon : R) (laws : nat -> law) (x : history),
  (2 <= T)%nat -> 0 < beta < 1 -> 0 < epsilon ->
  legal_law (laws 0%nat) -> legal_law (laws 1%nat) ->
  plays T beta epsilon x -> rewarded T laws x -> good_event T beta epsilon laws x ->
  forall t, (t < T)%nat ->
    gap laws x t <= factor * conf T beta epsilon (nt x t (arm x t)).

(* ---- the refutation ---- *)

Lemma one_arm : forall t, visits (fun _ => 0%nat) 0 t = t /\ visits (fun _ => 0%nat) 1 t = 0%nat /\
  weights (fun _ => 0%nat) 0 t = INR t /\ weights (fun _ => 0%nat) 1 t = 0.
Proof.
  induction t as [|t (n0 & n1 & w0 & w1)]; [simpl; auto|].
  rewrite S_INR. simpl. rewrite n0, n1, w0, w1. repeat split; (lia || ring).
Qed.

Lemma one_reward : forall x t,
  rewards (fun _ => 0%nat) (fun _ => x) 0 t = INR t * x /\
  rewards (fun _ => 0%nat) (fun _ => x) 1 t = 0.
Proof.
  induction t as [|t (r0 & r1)]; [simpl; split; ring|].
  rewrite S_INR. simpl. rewrite r0, r1. split; ring.
Qed.

Lemma roots_decrease : forall c n n' : R, 0 <= c -> 0 < n <= n' -> sqrt (c / n') <= sqrt (c / n).
Proof.
  intros c n n' c_positive order. apply sqrt_le_1_alt. apply Rmult_le_compat_l; [assumption|].
  apply Rinv_le_contravar; lra.
Qed.

Section Instance.

Variable T : nat.
Variables beta epsilon x low : R.

Let N := INR T.
Let E := width T beta epsilon.
Let L := logarithm T beta.

Hypothesis E_large : 1 < E.
Hypothesis L_positive : 0 < L.
Hypothesis episodes : 2 * E + 2 < N.
Hypothesis start : 0 < ln (2 / (beta / 4)).
Hypothesis means : 0 < low < x /\ x < 1.
(* x is within phi^ of the mean in every episode *)
Hypothesis near : x - low < sqrt (L / (N - 1)).
(* the index of the bad arm is H in every episode *)
Hypothesis tied : 1 <= x - 1 / E + (2 * sqrt (L / (N - E)) + 2 * (3 * E / N + 2 * E ^ 2 / N ^ 2)).
(* the gap exceeds the bonus in the last episode *)
Hypothesis broken :
  2 * sqrt (L / (N - 2 - E)) + 2 * (3 * E / (N - 2) + 2 * E ^ 2 / (N - 2) ^ 2) < 1 - low.

Let laws (a : nat) : law := match a with
  | O => [(low / x, x); (1 - low / x, 0)]
  | _ => [(1, 1)]
  end.

Lemma laws_legal : legal_law (laws 0%nat) /\ legal_law (laws 1%nat) /\
  mean (laws 0%nat) = low /\ mean (laws 1%nat) = 1.
Proof.
  assert (0 < low / x) by (apply Rdiv_lt_0_compat; lra).
  assert (low / x < 1).
  { apply Rmult_lt_reg_r with x; [lra|].
    replace (low / x * x) with low by (field; lra). lra. }
  unfold legal_law, mean, laws. simpl. repeat split; try (field; lra).
  all: intros; repeat match goal with
    | chosen : _ \/ _ |- _ => destruct chosen as [chosen | chosen]
    | chosen : (_, _) = (_, _) |- _ => injection chosen as <- <-
    | chosen : False |- _ => destruct chosen
    end; lra.
Qed.

(* Releases within 1 of the counts; the first arm is played throughout and pays x. *)
Variables nt rt mt : nat -> nat -> R.
Let bad (t : nat) : nat := 0%nat.
Let pays (t : nat) : R := x.
Hypothesis released : forall t a, (t < T)%nat -> (a < 2)%nat ->
  Rabs (nt t a - INR (visits bad a t)) <= 1 /\ Rabs (rt t a - rewards bad pays a t) <= 1 /\
  Rabs (mt t a - INR (visits bad a t)) <= 1.

Lemma absolute : forall z c, Rabs z <= c -> - c <= z <= c.
Proof.
  intros z c bound. pose proof (Rle_abs z). pose proof (Rle_abs (- z)) as other.
  rewrite Rabs_Ropp in other. lra.
Qed.

Lemma before_the_last : forall t, (t < T)%nat -> INR t <= N - 1.
Proof.
  intros t early. unfold N. pose proof (le_INR (S t) T early) as bound.
  rewrite S_INR in bound. lra.
Qed.

Lemma ratio_decreases : forall n n' : R, 0 < n <= n' ->
  2 * (3 * E / n' + 2 * E ^ 2 / n' ^ 2) <= 2 * (3 * E / n + 2 * E ^ 2 / n ^ 2).
Proof.
  intros n n' order.
  assert (/ n' <= / n) as inverse by (apply Rinv_le_contravar; lra).
  assert (/ n' ^ 2 <= / n ^ 2) as square.
  { apply Rinv_le_contravar; [apply pow_lt; lra | apply pow_incr; lra]. }
  assert (3 * E * / n' <= 3 * E * / n) by (apply Rmult_le_compat_l; lra).
  assert (2 * E ^ 2 * / n' ^ 2 <= 2 * E ^ 2 * / n ^ 2).
  { apply Rmult_le_compat_l; [|assumption]. pose proof (pow2_ge_0 E). lra. }
  unfold Rdiv. lra.
Qed.

Lemma bad_index : forall t, (t < T)%nat -> Q_plus T beta epsilon (nt t 0%nat) (rt t 0%nat) = 1.
Proof.
  intros t early. pose proof (before_the_last t early).
  destruct (released t 0%nat early ltac:(lia)) as (near_n & near_r & _).
  destruct (one_arm t) as (n0 & _). destruct (one_reward x t) as (r0 & _).
  fold bad in n0, r0. fold pays in r0. rewrite n0 in near_n. rewrite r0 in near_r.
  apply absolute in near_n. apply absolute in near_r.
  set (n := nt t 0%nat) in *. set (r := rt t 0%nat) in *.
  unfold Q_plus. destruct (Rle_dec (2 * width T beta epsilon) n) as [large | small];
    [|reflexivity].
  apply Rmin_left. unfold conf.
  destruct (Rle_dec (2 * width T beta epsilon) n) as [_ | absurd]; [|contradiction].
  fold E in large.
  assert (x - 1 / E <= r / n) as estimate.
  { apply Rmult_le_reg_r with n; [lra|].
    replace (r / n * n) with r by (field; lra).
    assert (1 / E * (2 * E) <= 1 / E * n) as fraction.
    { apply Rmult_le_compat_l; [|assumption]. apply Rlt_le, Rdiv_lt_0_compat; lra. }
    replace (1 / E * (2 * E)) with 2 in fraction by (field; lra).
    assert ((n - 1) * x <= INR t * x) by (apply Rmult_le_compat_r; lra). lra. }
  assert (sqrt (L / (N - E)) <= phi_tilde T beta epsilon n) as root.
  { unfold phi_tilde. apply roots_decrease; [fold L; lra|]. fold E. split.
    - apply Rlt_le_trans with (2 := Rmax_r _ _). lra.
    - apply Rmax_lub; lra. }
  pose proof (ratio_decreases n N ltac:(lra)) as ratio.
  unfold psi. fold E. lra.
Qed.

Lemma good_index : forall t, (t < T)%nat -> Q_plus T beta epsilon (nt t 1%nat) (rt t 1%nat) = 1.
Proof.
  intros t early. destruct (released t 1%nat early ltac:(lia)) as (near_n & _ & _).
  destruct (one_arm t) as (_ & n1 & _). fold bad in n1. rewrite n1 in near_n.
  apply absolute in near_n. simpl INR in near_n.
  unfold Q_plus. fold E. destruct (Rle_dec (2 * E) (nt t 1%nat)); [lra | reflexivity].
Qed.

Lemma last_bonus : forall t, (S t = T)%nat -> conf T beta epsilon (nt t 0%nat) < 1 - low.
Proof.
  intros t last. destruct (released t 0%nat ltac:(lia) ltac:(lia)) as (near_n & _ & _).
  destruct (one_arm t) as (n0 & _). fold bad in n0. rewrite n0 in near_n.
  apply absolute in near_n.
  assert (N = INR t + 1) as N_is by (unfold N; rewrite <- last; apply S_INR).
  set (n := nt t 0%nat) in *. unfold conf. fold E.
  destruct (Rle_dec (2 * E) n) as [large | small]; [|lra].
  assert (phi_tilde T beta epsilon n <= sqrt (L / (N - 2 - E))) as root.
  { unfold phi_tilde. apply roots_decrease; [fold L; lra|]. fold E. split; [lra|].
    apply Rle_trans with (2 := Rmax_l _ _). lra. }
  pose proof (ratio_decreases (N - 2) n ltac:(lra)) as ratio.
  unfold psi. fold E. lra.
Qed.

Let play : history :=
  Build_history bad pays nt rt mt.

Lemma PUCB_plays : plays T beta epsilon play.
Proof.
  intros t early. simpl. unfold greedy.
  rewrite bad_index, good_index by assumption. destruct (Rle_dec 1 1); [reflexivity | lra].
Qed.

Lemma rewards_possible : rewarded T laws play.
Proof.
  intros t _. exists (low / x). split; [apply Rdiv_lt_0_compat; lra|]. simpl. left. reflexivity.
Qed.

Lemma event_good : good_event T beta epsilon laws play.
Proof.
  intros t a early action. pose proof (before_the_last t early) as bound.
  destruct laws_legal as (_ & _ & mean0 & mean1).
  destruct (released t a early action) as (near_n & near_r & near_m).
  destruct (one_arm t) as (n0 & n1 & w0 & w1). destruct (one_reward x t) as (r0 & r1).
  fold bad in n0, n1, w0, w1, r0, r1. fold pays in r0, r1. simpl.
  pose proof (pos_INR t).
  assert (forall n, (1 <= n)%nat -> 0 < phi_hat T beta n) as positive.
  { intros n some. unfold phi_hat. apply sqrt_lt_R0, Rdiv_lt_0_compat;
      [exact L_positive | apply lt_0_INR; lia]. }
  fold E. repeat split.
  - destruct a as [|[|a]]; [rewrite n0, w0 | rewrite n1, w1; simpl INR | lia]; lra.
  - intro some. destruct a as [|[|a]]; [|rewrite n1 in some; lia | lia].
    rewrite n0 in *. rewrite r0, mean0.
    assert (1 <= INR t) by (change 1 with (INR 1); apply le_INR; assumption).
    replace (INR t * x / INR t - low) with (x - low) by (field; lra).
    rewrite Rabs_pos_eq by lra. apply Rlt_le_trans with (1 := near).
    unfold phi_hat. apply roots_decrease; [fold L; lra | lra].
  - intro some. rewrite Rmult_0_r, Rabs_R0, Rmult_1_l. apply positive. assumption.
  - lra.
  - lra.
  - lra.
Qed.

Lemma lemma_18_broken : forall t, (S t = T)%nat ->
  plays T beta epsilon play /\ rewarded T laws play /\ good_event T beta epsilon laws play /\
  gap laws play t > conf T beta epsilon (nt t (arm play t)).
Proof.
  intros t last. split; [exact PUCB_plays|]. split; [exact rewards_possible|].
  split; [exact event_good|].
  destruct laws_legal as (_ & _ & mean0 & mean1). unfold gap. simpl arm. unfold bad.
  rewrite mean0, mean1, Rmax_right by lra. pose proof (last_bonus t last). lra.
Qed.

End Instance.

(* The three inequalities at T = 100000, for all E and L near those of the instance. *)
Lemma numbers : forall e l : R, 7390 <= e <= 7400 -> 304 / 10 <= l <= 305 / 10 ->
  505 / 1000 - 489 / 1000 < sqrt (l / (100000 - 1)) /\
  1 <= 505 / 1000 - 1 / e
       + (2 * sqrt (l / (100000 - e)) + 2 * (3 * e / 100000 + 2 * e ^ 2 / 100000 ^ 2)) /\
  2 * sqrt (l / (100000 - 2 - e))
    + 2 * (3 * e / (100000 - 2) + 2 * e ^ 2 / (100000 - 2) ^ 2) < 503 / 1000.
Proof.
  intros e l e_bounds l_bounds. repeat split; interval with (i_prec 40).
Qed.

Theorem lemma_18_refuted : ~ lemma_18 1.
Proof.
  intro lemma.
  assert (exists T, INR (S T) = 100000) as [T T_is].
  { exists (Z.to_nat 99999). rewrite S_INR, INR_IZR_INZ, Z2Nat.id; [lra | lia]. }
  set (laws := fun a => match a with
    | O => [(489 / 1000 / (505 / 1000), 505 / 1000);
            (1 - 489 / 1000 / (505 / 1000), 0)]
    | _ => [(1, 1)]
    end).
  set (arms := fun _ : nat => 0%nat). set (pays := fun _ : nat => 505 / 1000).
  set (n := fun t a => INR (visits arms a t)). set (r := fun t a => rewards arms pays a t).
  assert (7390 < width (S T) (1 / 10) 1 < 7400) as E_bounds.
  { unfold width, Rpower. rewrite T_is. split; interval with (i_prec 40). }
  assert (304 / 10 < logarithm (S T) (1 / 10) < 305 / 10) as L_bounds.
  { unfold logarithm. rewrite T_is. split; interval with (i_prec 40). }
  destruct (numbers (width (S T) (1 / 10) 1) (logarithm (S T) (1 / 10)) ltac:(lra) ltac:(lra))
    as (near & tied & broken).
  set (e := width (S T) (1 / 10) 1) in *. set (l := logarithm (S T) (1 / 10)) in *.
  destruct (lemma_18_broken (S T) (1 / 10) 1 (505 / 1000) (489 / 1000)) with
    (nt := n) (rt := r) (mt := n) (t := T)
    as (played & possible_rewards & good & beyond);
    fold e; fold l; rewrite ?T_is; try lra; try reflexivity.
  - interval with (i_prec 40).
  - intros t a _ _. unfold n, r. rewrite !Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - destruct (laws_legal (505 / 1000) (489 / 1000) ltac:(lra)) as (legal0 & legal1 & _).
    assert (INR 2 <= INR (S T)) as enough by (rewrite T_is; simpl; lra). apply INR_le in enough.
    pose proof (lemma (S T) (1 / 10) 1 _ _ enough ltac:(lra) ltac:(lra) legal0 legal1
                  played possible_rewards good T ltac:(lia)) as bound.
    rewrite Rmult_1_l in bound. exact (Rlt_not_le _ _ beyond bound).
Qed.

(* ---- the mutant: a factor 3/2 before the sum, with which the lemma holds at this size ---- *)

Lemma inside : forall z c, Rabs z < c -> - c < z < c.
Proof. intros z c near. apply Rabs_def2 in near. lra. Qed.

Lemma rewards_bounds : forall (arm : nat -> nat) (reward : nat -> R) (a t : nat),
  (forall i, (i < t)%nat -> 0 <= reward i <= 1) ->
  0 <= rewards arm reward a t <= INR (visits arm a t).
Proof.
  intros arm reward a. induction t as [|t bounds]; intros legal; simpl; [lra|].
  rewrite plus_INR. pose proof (legal t ltac:(lia)).
  assert (0 <= rewards arm reward a t <= INR (visits arm a t))
    by (apply bounds; intros; apply legal; lia).
  destruct (arm t =? a); simpl; lra.
Qed.

(* One arm: the released mean is within phi~ + 2E/n~ of the truth. *)
Lemma index_near : forall (T : nat) (beta epsilon : R) (n : nat) (r nt rt m : R),
  let E := width T beta epsilon in
  0 < E -> 0 <= logarithm T beta -> 0 <= r <= INR n ->
  Rabs (nt - INR n) < E -> Rabs (rt - r) < E ->
  ((1 <= n)%nat -> Rabs (r / INR n - m) < phi_hat T beta n) -> 2 * E <= nt ->
  Rabs (rt / nt - m) <= phi_tilde T beta epsilon nt + 2 * E / nt.
Proof.
  intros T beta epsilon n r nt rt m E E_positive L_positive bounds near_n near_r near_m large.
  apply inside in near_n. apply inside in near_r.
  assert (1 <= n)%nat as some by (destruct n; [simpl in *; lra | lia]).
  assert (1 <= INR n) as visited by (change 1 with (INR 1); apply le_INR; assumption).
  specialize (near_m some). apply inside in near_m.
  assert (phi_hat T beta n <= phi_tilde T beta epsilon nt) as root.
  { unfold phi_hat, phi_tilde. fold E. apply roots_decrease; [assumption|]. split.
    - apply Rlt_le_trans with (2 := Rmax_r _ _). lra.
    - apply Rmax_lub; lra. }
  assert (0 < / (INR n * nt)) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra).
  assert (r / INR n - rt / nt = (r * (nt - INR n) + INR n * (r - rt)) * / (INR n * nt)) as apart
    by (field; lra).
  assert (2 * E / nt = (2 * E * INR n) * / (INR n * nt)) as same by (field; lra).
  assert (0 <= r * (E - (nt - INR n))) by (apply Rmult_le_pos; lra).
  assert (0 <= r * (E + (nt - INR n))) by (apply Rmult_le_pos; lra).
  assert (0 <= INR n * (E - (r - rt))) by (apply Rmult_le_pos; lra).
  assert (0 <= INR n * (E + (r - rt))) by (apply Rmult_le_pos; lra).
  assert (0 <= (INR n - r) * E) by (apply Rmult_le_pos; lra).
  assert (r / INR n - rt / nt <= 2 * E / nt).
  { rewrite apart, same. apply Rmult_le_compat_r; lra. }
  assert (- (2 * E / nt) <= r / INR n - rt / nt).
  { rewrite apart, same, <- Ropp_mult_distr_l_reverse. apply Rmult_le_compat_r; lra. }
  apply Rabs_le. lra.
Qed.

Lemma mean_bounds : forall l, legal_law l -> 0 <= mean l <= 1.
Proof.
  intros l [values sure]. rewrite <- sure. unfold mean. clear sure.
  induction l as [|[p v] l bounds]; simpl; [lra|].
  destruct (values p v (or_introl eq_refl)) as [p_positive v_bounds].
  assert (0 <= fold_right (fun pv sum => fst pv * snd pv + sum) 0 l
            <= fold_right (fun pv sum => fst pv + sum) 0 l).
  { apply bounds. intros p' v' member. apply values. right. assumption. }
  assert (0 <= p * v) by (apply Rmult_le_pos; lra).
  assert (0 <= p * (1 - v)) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem lemma_18_mutant : lemma_18 (3 / 2).
Proof.
  intros T beta epsilon laws x episodes beta_inside epsilon_positive legal0 legal1 played
    possible_rewards good t early.
  assert (2 <= INR T) as T_large by (change 2 with (INR 2); apply le_INR; assumption).
  assert (forall a, (a < 2)%nat -> legal_law (laws a)) as legal.
  { intros a action. destruct a as [|[|a]]; [assumption | assumption | lia]. }
  assert (forall i, (i < T)%nat -> (arm x i < 2)%nat) as arms.
  { intros i before. rewrite (played i before). unfold greedy. destruct (Rle_dec _ _); lia. }
  assert (0 < width T beta epsilon) as E_positive.
  { unfold width. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|].
    - apply Rdiv_lt_0_compat; lra.
    - rewrite <- ln_1. apply ln_increasing; [lra|]. apply Rmult_lt_reg_r with (beta / 4); [lra|].
      replace (6 / (beta / 4) * (beta / 4)) with 6 by (field; lra). lra.
    - unfold Rpower. apply exp_pos. }
  assert (0 <= logarithm T beta) as L_positive.
  { assert (0 < ln (INR T / (beta / 4))); [|unfold logarithm; lra].
    rewrite <- ln_1. apply ln_increasing; [lra|]. apply Rmult_lt_reg_r with (beta / 4); [lra|].
    replace (INR T / (beta / 4) * (beta / 4)) with (INR T) by (field; lra). lra. }
  set (E := width T beta epsilon) in *.
  assert (forall i, (i < T)%nat -> 0 <= reward x i <= 1) as rewards_legal.
  { intros i before. destruct (possible_rewards i before) as (p & _ & member).
    apply (proj1 (legal (arm x i) (arms i before)) p (reward x i) member). }
  (* each arm: the index is optimistic, and at most the mean and 3/2 bonuses *)
  assert (forall a, (a < 2)%nat ->
    mean (laws a) <= Q_plus T beta epsilon (nt x t a) (rt x t a) /\
    Q_plus T beta epsilon (nt x t a) (rt x t a)
      <= mean (laws a) + 3 / 2 * conf T beta epsilon (nt x t a)) as each.
  { intros a action. pose proof (mean_bounds (laws a) (legal a action)) as bounds.
    destruct (good t a early action) as (_ & near_m & _ & near_r & near_n & _).
    unfold Q_plus, conf. fold E. destruct (Rle_dec (2 * E) (nt x t a)) as [large | small]; [|lra].
    pose proof (index_near T beta epsilon (visits (arm x) a t) (rewards (arm x) (reward x) a t)
                  (nt x t a) (rt x t a) (mean (laws a)) E_positive L_positive
                  (rewards_bounds (arm x) (reward x) a t
                     (fun i before => rewards_legal i (Nat.lt_trans _ _ _ before early)))
                  near_n near_r near_m large) as near.
    fold E in near.
    pose proof (Rle_abs (rt x t a / nt x t a - mean (laws a))).
    pose proof (Rle_abs (- (rt x t a / nt x t a - mean (laws a)))) as below.
    rewrite Rabs_Ropp in below.
    assert (0 <= phi_tilde T beta epsilon (nt x t a)) by apply sqrt_pos.
    assert (3 * (2 * E / nt x t a) <= psi T beta epsilon (nt x t a)) as share.
    { unfold psi. fold E.
      assert (0 <= 2 * E ^ 2 / nt x t a ^ 2).
      { apply Rmult_le_pos; [pose proof (pow2_ge_0 E); lra|].
        apply Rlt_le, Rinv_0_lt_compat, pow_lt. lra. }
      replace (3 * (2 * E / nt x t a)) with ((1 + 1 * 1) * (3 * E / nt x t a)) by (field; lra).
      lra. }
    assert (0 < 2 * E / nt x t a) by (apply Rdiv_lt_0_compat; lra).
    split.
    - apply Rmin_glb; lra.
    - apply Rle_trans with (1 := Rmin_r _ _). lra. }
  unfold gap. pose proof (played t early) as choice.
  destruct (each 0%nat ltac:(lia)) as [low0 high0].
  destruct (each 1%nat ltac:(lia)) as [low1 high1].
  unfold greedy in choice.
  destruct (Rle_dec (Q_plus T beta epsilon (nt x t 1%nat) (rt x t 1%nat))
                    (Q_plus T beta epsilon (nt x t 0%nat) (rt x t 0%nat))) as [first | second];
    rewrite choice; unfold Rmax; destruct (Rle_dec _ _); lra.
Qed.

(* ---- equation (5): the same with each bonus at most H ---- *)

Definition equation_5 (factor : R) : Prop :=
  forall (T : nat) (beta epsilon : R) (laws : nat -> law) (x : history),
  (2 <= T)%nat -> 0 < beta < 1 -> 0 < epsilon ->
  legal_law (laws 0%nat) -> legal_law (laws 1%nat) ->
  plays T beta epsilon x -> rewarded T laws x -> good_event T beta epsilon laws x ->
  forall t, (t < T)%nat ->
    gap laws x t <= factor * Rmin 1 (conf T beta epsilon (nt x t (arm x t))).

Theorem equation_5_refuted : ~ equation_5 1.
Proof.
  intro clipped. apply lemma_18_refuted.
  intros T beta epsilon laws x episodes beta_inside epsilon_positive legal0 legal1 played
    possible_rewards good t early.
  pose proof (clipped T beta epsilon laws x episodes beta_inside epsilon_positive legal0 legal1
                played possible_rewards good t early) as bound.
  pose proof (Rmin_r 1 (conf T beta epsilon (nt x t (arm x t)))). lra.
Qed.

Theorem equation_5_mutant : equation_5 (3 / 2).
Proof.
  intros T beta epsilon laws x episodes beta_inside epsilon_positive legal0 legal1 played
    possible_rewards good t early.
  pose proof (lemma_18_mutant T beta epsilon laws x episodes beta_inside epsilon_positive legal0
                legal1 played possible_rewards good t early) as bound.
  assert (gap laws x t <= 1) as at_most.
  { pose proof (mean_bounds _ legal0). pose proof (mean_bounds _ legal1). unfold gap.
    rewrite (played t early). unfold greedy, Rmax.
    destruct (Rle_dec _ _); destruct (Rle_dec _ _); lra. }
  unfold Rmin. destruct (Rle_dec 1 (conf T beta epsilon (nt x t (arm x t)))); lra.
Qed.

(* The axioms of all theorems of this file. *)
Definition checked := (lemma_18_refuted, lemma_18_mutant, equation_5_refuted, equation_5_mutant).

Print Assumptions checked.
