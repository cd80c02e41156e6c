(* vietri2020/lemma-23, corrected (the sharp coupling lemma), its attainment, the refutation of the
   printed form, and where the printed exponent holds.

   Argument. Write d for the total variation of two laws p, q and m for their minimum, so that p - m
   and q - m both have total d, and E = e^epsilon.
   One entry. Let f satisfy f x <= E f y + delta for all letters. With c = mean of f under q, every
   f x is at most E c + delta. Let A = sum of (p - m) f and B = sum of (q - m) f, so that the two
   means differ by A - B. If B >= d c then A - B <= d (E c + delta) - d c. If B < d c then, as A <=
   E B + delta d by averaging over all pairs of letters, A - B <= (E - 1) B + delta d <= (E - 1) d c
   + delta d. So always: mean under p <= g c + delta d with g = 1 + (E - 1) d.
   n entries. Average over all entries but the first: what remains is a function of one letter with
   the same property. So the factor g is paid n times, and delta d, g delta d, ... add up to delta
   (g^n - 1)/(E - 1).
   Attained by Bernoulli(d) against Bernoulli(0): the answer is yes with a probability that f(k + 1)
   = E f(k) + delta gives for k ones. *)

Require Import Reals Lra Lia List.
Set Warnings "-ambiguous-paths".
From Interval Require Import Specific_stdz Specific_ops Tactic.
Require Import finite.
Open Scope R_scope.

(* Interval arithmetic over the standard library's integers, which needs no axiom on machine
   numbers as the default does. *)
Module Numbers := SpecificFloat StdZRadix2.
Module Evaluation := Tactic.IntervalTactic Numbers.
Import Evaluation.

(* Data: a list of letters. Two data sets are neighbours if they have one length and differ in one
   place. *)
Definition neighbours {X : Type} (u v : list X) : Prop :=
  exists before x y after, u = before ++ x :: after /\ v = before ++ y :: after.

(* A mechanism gives every event (a set of answers, of any kind) a probability that depends on the
   data. *)
Definition mechanism (X O : Type) := list X -> (O -> bool) -> R.

Definition private {X O : Type} (n : nat) (M : mechanism X O) (epsilon delta : R) : Prop :=
  forall u v event, length u = n -> neighbours u v -> M u event <= exp epsilon * M v event + delta.

(* The mean of f over n letters drawn independently by p from the alphabet l. *)
Fixpoint mean {X : Type} (l : list X) (p : X -> R) (n : nat) (f : list X -> R) : R :=
  match n with
  | 0 => f nil
  | S n => sum l (fun x => p x * mean l p n (fun rest => f (x :: rest)))
  end.

(* The probability of the event when the data are n independent letters drawn by p. *)
Definition chance {X O : Type} (l : list X) (p : X -> R) (n : nat) (M : mechanism X O)
  (event : O -> bool) : R :=
  mean l p n (fun data => M data event).

Lemma mean_ext {X} (l : list X) p n f g :
  (forall u, length u = n -> f u = g u) -> mean l p n f = mean l p n g.
Proof.
  revert f g. induction n as [|n IH]; intros f g same; simpl; [apply same; reflexivity |].
  apply sum_ext. intros x _. f_equal. apply IH. intros u size. apply same. simpl. congruence.
Qed.

Lemma mean_monotone {X} (l : list X) p n f g :
  (forall x, 0 <= p x) -> (forall u, length u = n -> f u <= g u) -> mean l p n f <= mean l p n g.
Proof.
  intro nonneg. revert f g. induction n as [|n IH]; intros f g below; simpl;
    [apply below; reflexivity |].
  apply sum_le. intros x _. apply Rmult_le_compat_l; [apply nonneg |]. apply IH.
  intros u size. apply below. simpl. congruence.
Qed.

Lemma mean_affine {X} (l : list X) p n a b f : law l p -> mean l p n (fun u => a * f u + b) =
  a * mean l p n f + b.
Proof.
  intros [nonneg total]. revert f. induction n as [|n IH]; intro f; simpl; [reflexivity |].
  rewrite (sum_ext l _ (fun x => a * (p x * mean l p n (fun rest => f (x :: rest))) + b * p x)).
  - rewrite sum_plus, !sum_scale, total. ring.
  - intros x _. rewrite (IH (fun rest => f (x :: rest))). ring.
Qed.

(* One entry. *)
Lemma one_entry {X} (l : list X) p q E delta f :
  law l p -> law l q -> 1 <= E -> (forall x y, f x <= E * f y + delta) ->
  sum l (fun x => p x * f x) <=
  (1 + (E - 1) * total_variation l p q) * sum l (fun x => q x * f x) + delta * total_variation l p
    q.
Proof.
  intros law_p law_q E_one close.
  set (c := sum l (fun x => q x * f x)). set (d := total_variation l p q).
  set (up := fun x => p x - Rmin (p x) (q x)). set (down := fun x => q x - Rmin (p x) (q x)).
  assert (up_nonneg : forall x, 0 <= up x) by (intro x; unfold up; pose proof (Rmin_l (p x) (q x));
    lra).
  assert (down_nonneg : forall x, 0 <= down x) by
    (intro x; unfold down; pose proof (Rmin_r (p x) (q x)); lra).
  assert (apart : sum l (fun x => p x - q x) = 0)
    by (rewrite sum_minus; destruct law_p as [_ ->], law_q as [_ ->]; ring).
  assert (up_total : sum l up = d).
  { unfold d, total_variation.
  rewrite (sum_ext l up (fun x => / 2 * Rabs (p x - q x) + / 2 * (p x - q x))).
    - rewrite sum_plus, !sum_scale, apart. field.
    - intros x _. unfold up, Rmin, Rabs. destruct (Rle_dec (p x) (q x)),
        (Rcase_abs (p x - q x)); lra. }
  assert (down_total : sum l down = d).
  { unfold d, total_variation.
  rewrite (sum_ext l down (fun x => / 2 * Rabs (p x - q x) + - / 2 * (p x - q x))).
    - rewrite sum_plus, !sum_scale, apart. field.
    - intros x _. unfold down, Rmin, Rabs. destruct (Rle_dec (p x) (q x)),
        (Rcase_abs (p x - q x)); lra. }
  set (A := sum l (fun x => up x * f x)). set (B := sum l (fun x => down x * f x)).
  assert (means : sum l (fun x => p x * f x) = c + A - B).
  { unfold c, A, B. rewrite <- sum_plus, <- sum_minus. apply sum_ext. intros x _. unfold up, down.
  ring. }
  assert (d_nonneg : 0 <= d) by (rewrite <- up_total; apply sum_nonneg; auto).
  (* every value is at most E c + delta *)
  assert (below : forall x, f x <= E * c + delta).
  { intro x. destruct law_q as [q_nonneg q_total].
    replace (f x) with (sum l (fun y => f x * q y)) by (rewrite sum_scale, q_total; ring).
    replace (E * c + delta) with (sum l (fun y => E * (q y * f y) + delta * q y))
      by (rewrite sum_plus, !sum_scale, q_total; unfold c; ring).
    apply sum_le. intros y _. pose proof (close x y). pose proof (q_nonneg y). nra. }
  (* and what lies below y is at least (c - delta)/E, so all of it is *)
  assert (above : forall y, c <= E * f y + delta) by (intro y; apply (mean_le l q); auto).
  assert (A_below : A <= d * (E * c + delta)).
  { unfold A. rewrite <- up_total, Rmult_comm, <- sum_scale. apply sum_le. intros x _.
    pose proof (up_nonneg x). pose proof (below x). nra. }
  assert (B_above : d * c <= E * B + delta * d).
  { unfold B. rewrite <- down_total at 2. rewrite <- !sum_scale, <- sum_plus, <- down_total,
    Rmult_comm, <- sum_scale.
    apply sum_le. intros x _. pose proof (down_nonneg x). pose proof (above x). nra. }
  assert (pairs : d * A <= d * (E * B + delta * d)).
  { replace (d * A) with (sum l (fun x => sum l (fun y => (up x * down y) * f x))).
    - replace (d * (E * B + delta * d)) with
        (sum l (fun x => sum l (fun y => (up x * down y) * (E * f y + delta)))).
      + apply sum_le. intros x _. apply sum_le. intros y _.
        apply Rmult_le_compat_l; [apply Rmult_le_pos; auto | apply close].
      + rewrite (sum_ext l _ (fun x => (E * B + delta * d) * up x)).
        * rewrite sum_scale, up_total. ring.
        * intros x _. rewrite (sum_ext l _
            (fun y => E * up x * (down y * f y) + delta * up x * down y)).
          -- rewrite sum_plus, !sum_scale, down_total. unfold B. ring.
          -- intros; ring.
    - rewrite (sum_ext l _ (fun x => d * (up x * f x))).
      + rewrite sum_scale. reflexivity.
      + intros x _. rewrite (sum_ext l _ (fun y => up x * f x * down y)) by (intros; ring).
        rewrite sum_scale, down_total. ring. }
  rewrite means.
  destruct (Rle_or_lt (d * c) B) as [large | small].
  - nra.
  - destruct (Rle_lt_or_eq_dec 0 d d_nonneg) as [positive | zero].
    + assert (A <= E * B + delta * d) by (apply (Rmult_le_reg_l d); assumption). nra.
    + assert (none : forall x, d * x = 0) by (intro x; rewrite <- zero; ring).
      rewrite none in A_below, small.
      replace ((1 + (E - 1) * d) * c + delta * d) with (c + d * ((E - 1) * c + delta)) by ring.
      rewrite none in *. rewrite (Rmult_comm delta d), none in B_above.
      assert (0 <= (E - 1) * - B) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma neighbours_cons {X} (x : X) u v : neighbours u v -> neighbours (x :: u) (x :: v).
Proof. intros (before & y & z & after & -> & ->). exists (x :: before), y, z, after.
split; reflexivity. Qed.

Lemma neighbours_head {X} (x y : X) u : neighbours (x :: u) (y :: u).
Proof. exists nil, x, y, u. split; reflexivity. Qed.

(* n entries, for one event. *)
Lemma entries {X} (l : list X) p q E delta n f :
  law l p -> law l q -> 1 < E ->
  (forall u v, length u = n -> neighbours u v -> f u <= E * f v + delta) ->
  mean l p n f <= (1 + (E - 1) * total_variation l p q) ^ n * mean l q n f +
                  delta * ((1 + (E - 1) * total_variation l p q) ^ n - 1) / (E - 1).
Proof.
  intros law_p law_q E_one. set (d := total_variation l p q). set (g := 1 + (E - 1) * d).
  assert (d_nonneg : 0 <= d).
  { unfold d, total_variation. assert (0 <= sum l (fun x => Rabs (p x - q x))) by
      (apply sum_nonneg; intros; apply Rabs_pos). lra. }
  assert (g_pos : 0 < g) by (unfold g; assert (0 <= (E - 1) * d) by (apply Rmult_le_pos; lra); lra).
  revert f. induction n as [|n IH]; intros f close; [simpl; lra |].
  set (h := fun x => mean l q n (fun rest => f (x :: rest))).
  assert (h_close : forall x y, h x <= E * h y + delta).
  { intros x y. unfold h. rewrite <- mean_affine by assumption.
  apply mean_monotone; [apply law_q |].
    intros u size. apply close; [simpl; congruence | apply neighbours_head]. }
  cbn [mean pow]. set (rest := delta * (g ^ n - 1) / (E - 1)).
  assert (step : sum l (fun x => p x * mean l p n (fun rest => f (x :: rest))) <=
                 g ^ n * sum l (fun x => p x * h x) + rest).
  { destruct law_p as [nonneg total].
    replace rest with (rest * sum l p) by (rewrite total; ring).
    rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros x _.
    replace (g ^ n * (p x * h x) + rest * p x) with (p x * (g ^ n * h x + rest)) by ring.
    apply Rmult_le_compat_l; [apply nonneg |]. apply IH. intros u v size near.
    apply close; [simpl; congruence | apply neighbours_cons; exact near]. }
  pose proof (one_entry l p q E delta h law_p law_q (Rlt_le _ _ E_one) h_close) as first.
  fold d in first. fold g in first.
  assert (0 < g ^ n) by (apply pow_lt; exact g_pos).
  apply (Rmult_le_compat_l (g ^ n)) in first; [| lra].
  apply Rle_trans with (g ^ n * sum l (fun x => p x * h x) + rest); [exact step |].
  apply Rle_trans with (g ^ n * (g * sum l (fun x => q x * h x) + delta * d) + rest); [lra |].
  right. unfold rest, h. replace d with ((g - 1) / (E - 1)) by (unfold g; field; lra). field. lra.
Qed.

(* The sharp lemma: every finite alphabet, every pair of laws, every n, epsilon > 0, delta >= 0. *)
Theorem lemma_23 : forall (X O : Type) (l : list X) (p q : X -> R) (n : nat) (epsilon delta : R)
  (M : mechanism X O),
  law l p -> law l q -> 0 < epsilon -> 0 <= delta -> private n M epsilon delta ->
  let d := total_variation l p q in
  let g := 1 + (exp epsilon - 1) * d in
  forall event, chance l p n M event <= g ^ n * chance l q n M event + delta * (g ^ n - 1) /
    (exp epsilon - 1).
Proof.
  intros X O l p q n epsilon delta M law_p law_q positive _ M_private d g event.
  apply entries; try assumption.
  - rewrite <- exp_0. apply exp_increasing. exact positive.
  - intros u v size near. apply M_private; assumption.
Qed.

(* Bernoulli(d) on the alphabet of two letters. *)
Definition coins : list bool := true :: false :: nil.
Definition bernoulli (d : R) (x : bool) : R := if x then d else 1 - d.

Lemma bernoulli_law d : 0 <= d <= 1 -> law coins (bernoulli d).
Proof. intro range. split; [intros [|]; simpl; lra | unfold sum; simpl; lra]. Qed.

Lemma bernoulli_apart d : 0 <= d <= 1 -> total_variation coins (bernoulli d) (bernoulli 0) = d.
Proof.
  intro range. unfold total_variation, sum. simpl.
  rewrite (Rabs_right (d - 0)), (Rabs_left1 (1 - d - (1 - 0))); lra.
Qed.

(* A mechanism that answers yes (true) with a probability f of the number of ones in the data, and
   no otherwise. *)
Fixpoint ones (data : list bool) : nat :=
  match data with nil => 0 | true :: rest => S (ones rest) | false :: rest => ones rest end.
Definition yes_or_no (f : nat -> R) : mechanism bool bool := fun data event =>
  (if event true then f (ones data) else 0) + (if event false then 1 - f (ones data) else 0).
Definition yes (answer : bool) : bool := answer.

(* The probability of yes at k ones: start at no ones, then f (k + 1) = E f k + delta. *)
Definition climbing (E delta start : R) (k : nat) : R := E ^ k * start + delta * (E ^ k - 1) /
  (E - 1).

Lemma mean_power E d n : mean coins (bernoulli d) n (fun data => E ^ ones data) =
  (1 + (E - 1) * d) ^ n.
Proof.
  induction n as [|n IH]; [reflexivity |].
  cbn [mean coins]. unfold sum; simpl.
  rewrite (mean_ext coins (bernoulli d) n (fun rest => E * E ^ ones rest)
    (fun rest => E * E ^ ones rest + 0))
    by (intros; ring).
  assert (E_times : forall c, mean coins (bernoulli d) n (fun rest => E * E ^ ones rest + 0) + c
          = E * (1 + (E - 1) * d) ^ n + c).
  { intro c. rewrite <- IH. clear IH. f_equal.
    assert (total : forall m f, mean coins (bernoulli d) m (fun u => E * f u + 0) =
      E * mean coins (bernoulli d) m f).
    { induction m as [|m IHm]; intro f; [simpl; ring |].
      cbn [mean coins]. unfold sum; simpl. rewrite !(IHm (fun u => f (_ :: u))). ring. }
    apply total. }
  pose proof (E_times 0) as times. rewrite !Rplus_0_r in times. rewrite times, IH. ring.
Qed.

Lemma mean_climbing E d delta start n :
  0 <= d <= 1 -> 1 < E ->
  mean coins (bernoulli d) n (fun data => climbing E delta start (ones data)) =
  (1 + (E - 1) * d) ^ n * start + delta * ((1 + (E - 1) * d) ^ n - 1) / (E - 1).
Proof.
  intros range E_one.
  rewrite (mean_ext coins (bernoulli d) n _
    (fun data => (start + delta / (E - 1)) * E ^ ones data + - (delta / (E - 1)))).
  - rewrite mean_affine by (apply bernoulli_law; exact range). rewrite mean_power. field. lra.
  - intros data _. unfold climbing. field. lra.
Qed.

Lemma ones_app u v : ones (u ++ v) = (ones u + ones v)%nat.
Proof. induction u as [|[|] u IH]; simpl; lia. Qed.

Lemma ones_at_most u : (ones u <= length u)%nat.
Proof. induction u as [|[|] u IH]; simpl; lia. Qed.

Lemma ones_neighbours u v : neighbours u v ->
  (ones u = ones v \/ ones u = S (ones v) \/ ones v = S (ones u)).
Proof. intros (before & x & y & after & -> & ->). rewrite !ones_app. destruct x, y; simpl; lia. Qed.

Lemma climbing_step E delta start k : 1 < E -> climbing E delta start (S k) =
  E * climbing E delta start k + delta.
Proof. intro E_one. unfold climbing. simpl. field. lra. Qed.

Lemma climbing_monotone E delta start k m :
  1 < E -> 0 <= delta -> 0 <= start -> (k <= m)%nat ->
  0 <= climbing E delta start k /\ climbing E delta start k <= climbing E delta start m.
Proof.
  intros E_one delta_nonneg start_nonneg below.
  assert (nonneg : forall j, 0 <= climbing E delta start j).
  { induction j as [|j IH]; [unfold climbing; simpl; unfold Rdiv; nra |].
  rewrite climbing_step by lra. nra. }
  split; [apply nonneg |]. induction below as [|m below IH]; [lra |].
  rewrite climbing_step by lra. pose proof (nonneg m). nra.
Qed.

Lemma yes_or_no_private epsilon delta start n :
  0 < epsilon -> 0 <= delta -> 0 <= start -> climbing (exp epsilon) delta start n <=
    1 - / exp epsilon ->
  private n (yes_or_no (climbing (exp epsilon) delta start)) epsilon delta.
Proof.
  intros positive delta_nonneg start_nonneg small u v event size near.
  set (E := exp epsilon) in *.
  assert (E_one : 1 < E) by (unfold E; rewrite <- exp_0; apply exp_increasing; exact positive).
  assert (v_size : length v = n).
  { destruct near as (before & x & y & after & -> & ->). rewrite app_length in *. simpl in *.
  exact size. }
  pose proof (ones_at_most u) as u_most. pose proof (ones_at_most v) as v_most.
  assert (u_range : 0 <= climbing E delta start (ones u) <= climbing E delta start n)
    by (apply climbing_monotone; auto; lia).
  assert (v_range : 0 <= climbing E delta start (ones v) <= climbing E delta start n)
    by (apply climbing_monotone; auto; lia).
  assert (room : 1 <= E * (1 - climbing E delta start (ones v))).
  { replace 1 with (E * / E) at 1 by (field; lra). apply Rmult_le_compat_l; lra. }
  assert (grows : forall x, 0 <= x -> x <= E * x)
    by (intros x nonneg; assert (0 <= (E - 1) * x) by (apply Rmult_le_pos; lra); lra).
  assert (up : climbing E delta start (ones u) <= E * climbing E delta start (ones v) + delta).
  { destruct (ones_neighbours u v near) as [-> | [-> | more]].
    - pose proof (grows _ (proj1 v_range)). lra.
    - rewrite climbing_step by exact E_one. lra.
    - rewrite more, climbing_step by exact E_one.
      pose proof (grows _ (proj1 u_range)) as once.
      pose proof (grows (E * climbing E delta start (ones u) + delta)) as twice. lra. }
  unfold yes_or_no. destruct (event true), (event false); lra.
Qed.

(* The bound is attained wherever the event is rare and delta small: every n, epsilon and d. *)
Theorem lemma_23_attained : forall (n : nat) (epsilon d : R), 0 < epsilon -> 0 <= d <= 1 ->
  exists small, 0 < small /\ forall start delta, 0 <= start <= small -> 0 <= delta <= small ->
    exists f : nat -> R, (forall k, (k <= n)%nat -> 0 <= f k <= 1) /\
      private n (yes_or_no f) epsilon delta /\
      chance coins (bernoulli 0) n (yes_or_no f) yes = start /\
      let g := 1 + (exp epsilon - 1) * d in
      chance coins (bernoulli d) n (yes_or_no f) yes = g ^ n * start + delta * (g ^ n - 1) /
        (exp epsilon - 1).
Proof.
  intros n epsilon d positive range. set (E := exp epsilon).
  assert (E_one : 1 < E) by (unfold E; rewrite <- exp_0; apply exp_increasing; exact positive).
  assert (power : 1 <= E ^ n) by (apply pow_R1_Rle; lra).
  assert (inverse : / E < 1) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra).
  assert (inverse_pos : 0 < / E) by (apply Rinv_0_lt_compat; lra).
  set (slope := E ^ n + (E ^ n - 1) / (E - 1)).
  assert (slope_pos : 0 < slope).
  { unfold slope, Rdiv. assert (0 < / (E - 1)) by (apply Rinv_0_lt_compat; lra). nra. }
  set (small := (1 - / E) / slope).
  assert (small_pos : 0 < small) by (apply Rdiv_lt_0_compat; lra).
  assert (total : small * slope = 1 - / E) by (unfold small; field; split; lra).
  exists small. split; [exact small_pos |].
  intros start delta [start_nonneg start_small] [delta_nonneg delta_small].
  assert (top : climbing E delta start n <= 1 - / E).
  { rewrite <- total. unfold slope, climbing. rewrite Rmult_plus_distr_l. apply Rplus_le_compat.
    - rewrite (Rmult_comm small). apply Rmult_le_compat_l; lra.
    - unfold Rdiv. rewrite Rmult_assoc. apply Rmult_le_compat_r; [| exact delta_small].
      apply Rmult_le_pos; [lra |]. left. apply Rinv_0_lt_compat. lra. }
  exists (climbing E delta start). repeat split.
  - apply (climbing_monotone E delta start k k); auto.
  - assert (climbing E delta start k <= climbing E delta start n) by
      (apply climbing_monotone; auto). lra.
  - apply yes_or_no_private; auto.
  - unfold chance. rewrite (mean_ext _ _ _ _ (fun data => climbing E delta start (ones data)))
      by (intros; unfold yes_or_no, yes; ring).
    rewrite mean_climbing by lra. replace (1 + (E - 1) * 0) with 1 by ring. rewrite pow1. field.
    lra.
  - unfold chance. rewrite (mean_ext _ _ _ _ (fun data => climbing E delta start (ones data)))
      by (intros; unfold yes_or_no, yes; ring).
    apply mean_climbing; assumption.
Qed.

Lemma power_less a b n : 0 < a < b -> a ^ S n < b ^ S n.
Proof.
  intros [a_pos less]. induction n as [|n IH]; [simpl; lra |].
  change (a * a ^ S n < b * b ^ S n). apply Rmult_le_0_lt_compat; try lra. apply pow_le. lra.
Qed.

Lemma exp_more epsilon : 0 < epsilon -> 1 < exp epsilon.
Proof. intro positive. rewrite <- exp_0. apply exp_increasing. exact positive. Qed.

(* The mutant: 0.999 of e^epsilon - 1 is too little, at every epsilon, n >= 1 and d > 0. *)
Theorem lemma_23_not_0_999 : forall (n : nat) (epsilon d : R),
  (1 <= n)%nat -> 0 < epsilon -> 0 < d <= 1 ->
  ~ (forall f : nat -> R, (forall k, (k <= n)%nat -> 0 <= f k <= 1) ->
       private n (yes_or_no f) epsilon 0 ->
       chance coins (bernoulli d) n (yes_or_no f) yes <=
       (1 + 999 / 1000 * (exp epsilon - 1) * d) ^ n *
         chance coins (bernoulli 0) n (yes_or_no f) yes).
Proof.
  intros n epsilon d one positive range bound.
  destruct (lemma_23_attained n epsilon d positive) as (small & small_pos & attained); [lra |].
  destruct (attained small 0) as (f & f_range & f_private & start & end_); [lra | lra |].
  specialize (bound f f_range f_private). rewrite start, end_ in bound.
  pose proof (exp_more epsilon positive) as E_one.
  assert (growth : 0 < (exp epsilon - 1) * d) by (apply Rmult_lt_0_compat; lra).
  destruct n as [|n]; [lia |].
  assert (less : (1 + 999 / 1000 * (exp epsilon - 1) * d) ^ S n < (1 + (exp epsilon - 1) * d) ^ S n)
    by (apply power_less; lra).
  apply (Rmult_lt_compat_r small) in less; [| exact small_pos].
  unfold Rdiv in bound. rewrite !Rmult_0_l, Rplus_0_r in bound. lra.
Qed.

Lemma exp_times n y : exp (INR n * y) = exp y ^ n.
Proof.
  induction n as [|n IH]; [simpl; rewrite Rmult_0_l; apply exp_0 |].
  rewrite S_INR. replace ((INR n + 1) * y) with (y + INR n * y) by ring. rewrite exp_plus, IH.
  reflexivity.
Qed.

Lemma at_the_edge : 18.5104 < exp 2.9184.
Proof. interval with (i_prec 60). Qed.

(* e^epsilon - 1 > 6 epsilon from 2.9184 on, and then the factor of one entry exceeds e^(6 epsilon
   d) for small d. *)
Lemma factor_six_too_small epsilon : 2.9184 <= epsilon ->
  exists edge, 0 < edge <= 1 /\ forall d, 0 < d < edge -> exp (6 * epsilon * d) < 1 +
    (exp epsilon - 1) * d.
Proof.
  intros large.
  assert (more : 6 * epsilon < exp epsilon - 1).
  { pose proof at_the_edge as at_edge.
    replace epsilon with (2.9184 + (epsilon - 2.9184)) at 2 by ring. rewrite exp_plus.
    assert (beyond : 1 + (epsilon - 2.9184) <= exp (epsilon - 2.9184)) by apply exp_ineq1_le.
    apply (Rmult_le_compat_l (exp 2.9184)) in beyond; [| lra].
    assert (18.5104 * (1 + (epsilon - 2.9184)) < exp 2.9184 * (1 + (epsilon - 2.9184)))
      by (apply Rmult_lt_compat_r; lra).
    lra. }
  set (u := exp epsilon - 1) in *.
  assert (u_pos : 0 < u) by lra.
  assert (inverse : / u < / (6 * epsilon)) by (apply Rinv_lt_contravar; [apply Rmult_lt_0_compat |];
    lra).
  assert (below_one : / (6 * epsilon) <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (u_inverse : 0 < / u) by (apply Rinv_0_lt_compat; exact u_pos).
  exists (/ (6 * epsilon) - / u). split; [lra |].
  intros d [d_pos small]. set (y := 6 * epsilon * d).
  assert (y_small : y < 1 - 6 * epsilon / u).
  { unfold y. replace (1 - 6 * epsilon / u) with
    (6 * epsilon * (/ (6 * epsilon) - / u)) by (field; lra).
    apply Rmult_lt_compat_l; lra. }
  assert (ratio : 0 < 6 * epsilon / u) by (apply Rdiv_lt_0_compat; lra).
  assert (inverse_y : exp y * (1 - y) <= 1).
  { replace 1 with (exp y * exp (- y)) at 2 by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
    apply Rmult_le_compat_l; [left; apply exp_pos |]. pose proof (exp_ineq1_le (- y)). lra. }
  assert (product : 1 < (1 + u * d) * (1 - y)).
  { assert (less : u * y < u * (1 - 6 * epsilon / u)) by (apply Rmult_lt_compat_l; assumption).
    replace (u * (1 - 6 * epsilon / u)) with (u - 6 * epsilon) in less by (field; lra).
    replace ((1 + u * d) * (1 - y)) with (1 + d * (u - 6 * epsilon - u * y)) by (unfold y; ring).
    assert (0 < d * (u - 6 * epsilon - u * y)) by (apply Rmult_lt_0_compat; lra). lra. }
  apply (Rmult_lt_reg_r (1 - y)); lra.
Qed.

(* The printed factor e^(6 epsilon n d) fails for every epsilon >= 2.9184, with delta = 0, where d
   is small. *)
Theorem lemma_23_printed_fails : forall epsilon, 2.9184 <= epsilon ->
  exists edge, 0 < edge <= 1 /\ forall d n, 0 < d < edge -> (1 <= n)%nat ->
    exists f : nat -> R, (forall k, (k <= n)%nat -> 0 <= f k <= 1) /\
      private n (yes_or_no f) epsilon 0 /\
      exp (6 * epsilon * INR n * d) * chance coins (bernoulli 0) n (yes_or_no f) yes <
      chance coins (bernoulli d) n (yes_or_no f) yes.
Proof.
  intros epsilon large. destruct (factor_six_too_small epsilon large) as (edge & edge_range & more).
  exists edge. split; [exact edge_range |]. intros d n [d_pos small] one.
  pose proof (more d (conj d_pos small)) as factor.
  destruct (lemma_23_attained n epsilon d) as (start & start_pos & attained); [lra | lra |].
  destruct (attained start 0) as (f & f_range & f_private & at_zeros & at_coins); [lra | lra |].
  exists f. split; [exact f_range |]. split; [exact f_private |].
  rewrite at_zeros, at_coins.
  replace (6 * epsilon * INR n * d) with (INR n * (6 * epsilon * d)) by ring. rewrite exp_times.
  unfold Rdiv. rewrite !Rmult_0_l, Rplus_0_r.
  apply Rmult_lt_compat_r; [exact start_pos |].
  destruct n as [|n]; [lia |]. apply power_less. split; [apply exp_pos | exact factor].
Qed.

Lemma six_suffices x : 0 <= x <= 2.9183 -> exp x - 1 <= 6 * x.
Proof.
  intros [nonneg most]. destruct (Rle_or_lt x 1.7) as [low | high].
  - assert (tangent : 1 - x <= exp (- x)) by (pose proof (exp_ineq1_le (- x)); lra).
    apply (Rmult_le_compat_l (exp x)) in tangent; [| left; apply exp_pos].
    rewrite <- exp_plus, Rplus_opp_r, exp_0 in tangent.
    assert (exp x <= 6) by interval with (i_prec 60).
    assert (x * exp x <= x * 6) by (apply Rmult_le_compat_l; lra). lra.
  - assert (exp x - 1 - 6 * x <= 0) by interval with (i_bisect x, i_taylor x, i_prec 60). lra.
Qed.

Lemma mean_nonneg {X} (l : list X) p n f : law l p -> (forall u, 0 <= f u) -> 0 <= mean l p n f.
Proof.
  intros [nonneg _]. revert f. induction n as [|n IH]; intros f f_nonneg; simpl; [apply f_nonneg |].
  apply sum_nonneg. intros x _. apply Rmult_le_pos; [apply nonneg |]. apply IH. intro u.
  apply f_nonneg.
Qed.

Lemma powers_of_six epsilon d n : 0 < epsilon <= 2.9183 -> 0 <= d ->
  (1 + (exp epsilon - 1) * d) ^ n <= exp (6 * epsilon * INR n * d).
Proof.
  intros range d_nonneg.
  replace (6 * epsilon * INR n * d) with (INR n * (6 * epsilon * d)) by ring. rewrite exp_times.
  pose proof (exp_more epsilon (proj1 range)).
  apply pow_incr. split.
  - assert (0 <= (exp epsilon - 1) * d) by (apply Rmult_le_pos; lra). lra.
  - apply Rle_trans with (exp ((exp epsilon - 1) * d)); [apply exp_ineq1_le |].
    assert (below : (exp epsilon - 1) * d <= 6 * epsilon * d).
    { apply Rmult_le_compat_r; [exact d_nonneg |]. apply six_suffices. lra. }
    destruct (Rle_lt_or_eq_dec _ _ below) as [less | same];
      [left; apply exp_increasing; exact less | rewrite same; lra].
Qed.

(* Where the printed exponent holds: delta = 0 and epsilon at most 2.9183. *)
Theorem lemma_23_printed_exponent : forall (X O : Type) (l : list X) p q n epsilon
  (M : mechanism X O),
  law l p -> law l q -> 0 < epsilon <= 2.9183 -> (forall data event, 0 <= M data event) ->
    private n M epsilon 0 ->
  let d := total_variation l p q in
  forall event, chance l p n M event <= exp (6 * epsilon * INR n * d) * chance l q n M event.
Proof.
  intros X O l p q n epsilon M law_p law_q range M_nonneg M_private d event.
  eapply Rle_trans; [apply (lemma_23 X O l p q n epsilon 0); try assumption; lra |].
  fold d. unfold Rdiv. rewrite !Rmult_0_l, Rplus_0_r.
  apply Rmult_le_compat_r; [apply mean_nonneg; auto |].
  apply powers_of_six; [exact range |]. unfold d, total_variation.
  assert (0 <= sum l (fun x => Rabs (p x - q x))) by (apply sum_nonneg; intros; apply Rabs_pos).
  lra.
Qed.

(* ---- the additive part as printed, delta' = 4 delta e^(6 epsilon n d) d ---- *)

Lemma bernoulli_inequality x n : 0 <= x -> 1 + INR n * x <= (1 + x) ^ n.
Proof.
  intro nonneg. induction n as [|n IH]; [simpl; lra |]. rewrite S_INR. cbn [pow].
  pose proof (pos_INR n). assert (0 <= INR n * x) by (apply Rmult_le_pos; lra). nra.
Qed.

(* An event of probability 0 comes to exceed delta', for every n >= 5 and epsilon small: e^(6
   epsilon n d) < n/4. *)
Theorem lemma_23_printed_additive_fails : forall (n : nat) (epsilon d : R),
  (5 <= n)%nat -> 0 < epsilon -> 0 < d <= 1 -> exp (6 * epsilon * INR n * d) < INR n / 4 ->
  exists delta, 0 < delta /\
    exists f : nat -> R, (forall k, (k <= n)%nat -> 0 <= f k <= 1) /\
      private n (yes_or_no f) epsilon delta /\
      chance coins (bernoulli 0) n (yes_or_no f) yes = 0 /\
      4 * delta * exp (6 * epsilon * INR n * d) * d < chance coins (bernoulli d) n (yes_or_no f) yes.
Proof.
  intros n epsilon d five positive range slow.
  destruct (lemma_23_attained n epsilon d positive) as (small & small_pos & attained); [lra |].
  destruct (attained 0 small) as (f & f_range & f_private & at_zeros & at_coins); [lra | lra |].
  exists small. split; [exact small_pos |]. exists f. repeat (split; [assumption |]).
  rewrite at_coins. pose proof (exp_more epsilon positive) as E_one.
  set (E := exp epsilon) in *. set (power := exp (6 * epsilon * INR n * d)) in *.
  pose proof (bernoulli_inequality ((E - 1) * d) n) as many.
  assert (0 <= (E - 1) * d) as nonneg by (apply Rmult_le_pos; lra). specialize (many nonneg).
  rewrite Rmult_0_r, Rplus_0_l.
  apply Rlt_le_trans with (small * (INR n * d)).
  - replace (4 * small * power * d) with (small * (4 * power * d)) by ring.
    apply Rmult_lt_compat_l; [exact small_pos |]. apply Rmult_lt_compat_r; lra.
  - unfold Rdiv. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra |].
    apply (Rmult_le_reg_r (E - 1)); [lra |]. rewrite (Rmult_assoc (_ - 1)), Rinv_l by lra. lra.
Qed.

(* The neighbour: all of the printed lemma holds for n <= 4 and epsilon <= 2.9183. *)
Theorem lemma_23_printed_up_to_4 : forall (X O : Type) (l : list X) p q n epsilon delta
  (M : mechanism X O),
  law l p -> law l q -> (n <= 4)%nat -> 0 < epsilon <= 2.9183 -> 0 <= delta ->
  (forall data event, 0 <= M data event) -> private n M epsilon delta ->
  let d := total_variation l p q in
  forall event, chance l p n M event <=
    exp (6 * epsilon * INR n * d) * chance l q n M event
    + 4 * delta * exp (6 * epsilon * INR n * d) * d.
Proof.
  intros X O l p q n epsilon delta M law_p law_q four range delta_nonneg M_nonneg M_private d event.
  eapply Rle_trans; [apply (lemma_23 X O l p q n epsilon delta); try assumption; lra |]. fold d.
  assert (d_nonneg : 0 <= d).
  { unfold d, total_variation.
    assert (0 <= sum l (fun x => Rabs (p x - q x))) by (apply sum_nonneg; intros; apply Rabs_pos).
    lra. }
  pose proof (powers_of_six epsilon d n range d_nonneg) as power.
  pose proof (exp_more epsilon (proj1 range)) as E_one.
  set (E := exp epsilon) in *. set (g := 1 + (E - 1) * d) in *.
  assert (g_one : 1 <= g) by (unfold g; assert (0 <= (E - 1) * d) by (apply Rmult_le_pos; lra); lra).
  apply Rplus_le_compat.
  - apply Rmult_le_compat_r; [apply mean_nonneg; auto | exact power].
  - apply Rle_trans with (4 * delta * g ^ n * d).
    + replace (4 * delta * g ^ n * d) with (delta * (4 * g ^ n * d)) by ring.
      unfold Rdiv. rewrite Rmult_assoc. apply Rmult_le_compat_l; [exact delta_nonneg |].
      apply (Rmult_le_reg_r (E - 1)); [lra |].
      rewrite (Rmult_assoc (_ - 1)), Rinv_l, Rmult_1_r by lra.
      replace (4 * g ^ n * d * (E - 1)) with (4 * g ^ n * (g - 1)) by (unfold g; ring).
      assert (once : g <= g ^ 2) by (simpl; nra). assert (twice : g ^ 2 <= g ^ 3) by (simpl; nra).
      assert (thrice : g ^ 3 <= g ^ 4) by (simpl; nra).
      destruct n as [|[|[|[|[|n]]]]]; [| | | | | lia].
      * simpl. lra.
      * simpl. nra.
      * replace (g ^ 2 - 1) with ((g + 1) * (g - 1)) by ring. apply Rmult_le_compat_r; lra.
      * replace (g ^ 3 - 1) with ((g ^ 2 + g + 1) * (g - 1)) by ring.
        apply Rmult_le_compat_r; lra.
      * replace (g ^ 4 - 1) with ((g ^ 3 + g ^ 2 + g + 1) * (g - 1)) by ring.
        apply Rmult_le_compat_r; lra.
    + apply Rmult_le_compat_r; [exact d_nonneg |]. apply Rmult_le_compat_l; lra.
Qed.
