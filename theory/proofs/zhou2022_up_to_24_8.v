(* zhou2022/theorem-6.4, with the printed noise all counters together, one user replaced, lose more
   than epsilon with probability at most delta, for every epsilon <= 24.8, delta in (0, 1] and H.

   Argument. The loss of Gaussian noise at distance mu is normal with mean mu^2/2 and variance mu^2,
   so it exceeds epsilon with probability Phi(mu/2 - epsilon/mu), and that delta suffices. As in
   zhou2022_theorem_6_4, mu^2 = 2 c epsilon^2/l with c <= 9/128 and l = ln(4H/delta) >= ln 4. With r
   = sqrt(l) the argument is at most 4.65/r - 8r/3, and delta = 4H e^(-r^2). So Phi(4.65/r - 8r/3)
   <= 4 e^(-r^2) is enough. Up to r = 1.49 Phi is bounded by its tangent at 0, in three pieces; from
   there on by Mills' ratio, Phi(-a) <= phi(a)/a. *)

Require Import Reals Lra Lia List.
Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
From Interval Require Import Specific_stdz Specific_ops Tactic.
Require Import finite zcdp zhou2022_theorem_6_4.
Open Scope R_scope.

(* Interval arithmetic over the standard library's integers, which needs no axiom on machine
   numbers as the default does. *)
Module Numbers := SpecificFloat StdZRadix2.
Module Evaluation := Tactic.IntervalTactic Numbers.
Import Evaluation.

Definition density (x : R) : R := exp (- (x ^ 2 / 2)) / sqrt (2 * PI).

(* Phi is the normal distribution function: its derivative, its value at 0, its limit at minus
   infinity. *)
Definition normal (Phi : R -> R) : Prop :=
  (forall x, derivable_pt_lim Phi x (density x)) /\ Phi 0 = 1 / 2 /\
  (forall error, 0 < error -> exists x, Phi x < error).

Lemma density_pos x : 0 < density x.
Proof.
  apply Rdiv_lt_0_compat; [apply exp_pos |]. apply sqrt_lt_R0. pose proof PI_RGT_0. lra.
Qed.

Lemma root_bounds : 2.5066 <= sqrt (2 * PI) <= 2.5067.
Proof. split; interval with (i_prec 60). Qed.

Lemma density_most x : density x <= 39895 / 100000.
Proof.
  pose proof root_bounds as root. unfold density.
  apply (Rmult_le_reg_r (sqrt (2 * PI))); [lra |]. unfold Rdiv at 1.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  assert (exp (- (x ^ 2 / 2)) <= 1).
  { rewrite <- exp_0. destruct (Rle_lt_or_eq_dec (- (x ^ 2 / 2)) 0) as [less | same].
    - pose proof (pow2_ge_0 x). lra.
    - left. apply exp_increasing. exact less.
    - rewrite same. apply Rle_refl. }
  lra.
Qed.

(* The numbers of the three pieces and of the rest. *)
Lemma first_piece : 0.8243 <= 4 * exp (- (1.2565 ^ 2)).
Proof. interval with (i_prec 60). Qed.

Lemma second_piece : 0.6403 <= 4 * exp (- (1.353 ^ 2)).
Proof. interval with (i_prec 60). Qed.

Lemma third_piece : 1 / 2 - 0.393 * 0.171 <= 4 * exp (- (1.49 ^ 2)).
Proof. interval with (i_prec 60). Qed.

Lemma rest : 0.468 <= 4 * exp (- 2.14).
Proof. interval with (i_prec 60). Qed.

Section Normal.

Variable Phi : R -> R.
Hypothesis is_normal : normal Phi.

Lemma slope a b : a < b -> exists x, Phi b - Phi a = density x * (b - a) /\ a < x < b.
Proof. intro less. apply MVT_cor2; [exact less |]. intros x _. apply is_normal. Qed.

Lemma increasing a b : a <= b -> Phi a <= Phi b.
Proof.
  intros [less | same]; [| rewrite same; apply Rle_refl].
  destruct (slope a b less) as (x & rise & _). pose proof (density_pos x).
  assert (0 <= density x * (b - a)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma above_zero b : 0 <= b -> Phi b <= 1 / 2 + 39895 / 100000 * b.
Proof.
  destruct is_normal as (_ & half & _). intros [less | same]; [| subst; lra].
  destruct (slope 0 b less) as (x & rise & _). rewrite half in rise.
  assert (density x * (b - 0) <= 39895 / 100000 * (b - 0))
    by (apply Rmult_le_compat_r; [lra | apply density_most]).
  lra.
Qed.

Lemma mills a : 0 < a -> Phi (- a) <= density a / a.
Proof.
  intro a_pos. destruct is_normal as (derived & _ & limit).
  assert (even : density (- a) = density a)
    by (unfold density; replace ((- a) ^ 2) with (a ^ 2) by ring; reflexivity).
  apply le_epsilon. intros error error_pos. destruct (limit error error_pos) as [x below].
  destruct (Rle_or_lt (- a) x) as [right_of | left_of].
  - pose proof (increasing (- a) x right_of).
    assert (0 < density a / a) by (apply Rdiv_lt_0_compat; [apply density_pos | exact a_pos]). lra.
  - destruct (MVT_cor2 (fun y => Phi y + density y / y) (fun y => - (density y / y ^ 2)) x (- a))
      as (y & fall & inside); [exact left_of | |].
    { intros y range.
      replace (- (density y / y ^ 2))
        with (density y + - (density y) * (y ^ 2 + 1) / y ^ 2) by (field; lra).
      apply (derivable_pt_lim_plus Phi (fun y => density y / y)); [apply derived |].
      apply is_derive_Reals. pose proof root_bounds as root. unfold density.
      set (scale := sqrt (2 * PI)) in *.
      auto_derive; [repeat split; lra |].
      replace (y * (y * 1) * / 2) with (y ^ 2 / 2) by (field; lra).
      field. split; lra. }
    assert (0 <= density y / y ^ 2 * (- a - x)).
    { apply Rmult_le_pos; [| lra]. apply Rlt_le, Rdiv_lt_0_compat; [apply density_pos |].
      rewrite <- Rsqr_pow2. apply Rsqr_pos_lt. lra. }
    assert (0 <= density x / - x).
    { apply Rlt_le, Rdiv_lt_0_compat; [apply density_pos | lra]. }
    rewrite even in fall. replace (density a / - a) with (- (density a / a)) in fall by (field; lra).
    replace (density x / x) with (- (density x / - x)) in fall by (field; lra). lra.
Qed.

(* The one inequality that all H, delta and epsilon come to. *)
Lemma tail r : 1.177 <= r -> Phi (4.65 / r - 8 * r / 3) <= 4 * exp (- r ^ 2).
Proof.
  intro r_large.
  assert (falls : forall s, 1 <= s <= r -> 4.65 / r - 8 * r / 3 <= 4.65 / s - 8 * s / 3).
  { intros s order. assert (/ r <= / s) by (apply Rinv_le_contravar; lra). unfold Rdiv at 1 3. lra. }
  assert (least : forall s, r <= s -> 4 * exp (- s ^ 2) <= 4 * exp (- r ^ 2)).
  { intros s order. apply Rmult_le_compat_l; [lra |].
    assert (- s ^ 2 <= - r ^ 2) by (apply Ropp_le_contravar, pow_incr; lra).
    destruct (Rle_lt_or_eq_dec (- s ^ 2) (- r ^ 2)) as [less | same]; [assumption | |].
    - left. apply exp_increasing. exact less.
    - rewrite same. apply Rle_refl. }
  destruct (Rle_or_lt r 1.2565) as [first | after].
  { eapply Rle_trans; [apply increasing, (falls 1.177); lra |].
    eapply Rle_trans; [apply above_zero; lra |]. eapply Rle_trans; [| apply (least 1.2565 first)].
    pose proof first_piece. lra. }
  destruct (Rle_or_lt r 1.353) as [second | later].
  { eapply Rle_trans; [apply increasing, (falls 1.2565); lra |].
    eapply Rle_trans; [apply above_zero; lra |]. eapply Rle_trans; [| apply (least 1.353 second)].
    pose proof second_piece. lra. }
  destruct (Rle_or_lt r 1.49) as [third | far].
  { eapply Rle_trans; [apply increasing, (falls 1.353); lra |].
    apply Rle_trans with (Phi (- 0.171)); [apply increasing; lra |].
    eapply Rle_trans; [| apply (least 1.49 third)].
    destruct (slope (- 0.171) 0) as (x & rise & inside); [lra |].
    destruct is_normal as (_ & half & _). rewrite half in rise.
    assert (0.393 <= density x) by (unfold density; interval with (i_prec 60)).
    pose proof third_piece. assert (0.393 * 0.171 <= density x * (0 - - 0.171)) by (apply
      Rmult_le_compat; lra). lra. }
  set (a := 8 * r / 3 - 4.65 / r).
  assert (inverse : / r <= / 1.49) by (apply Rinv_le_contravar; lra).
  assert (a_large : 0.8525 <= a) by (unfold a; unfold Rdiv at 2; lra).
  replace (4.65 / r - 8 * r / 3) with (- a) by (unfold a; ring).
  eapply Rle_trans; [apply mills; lra |].
  apply Rle_trans with (0.468 * exp (- (a ^ 2 / 2))).
  - unfold density. pose proof root_bounds. pose proof (exp_pos (- (a ^ 2 / 2))) as positive.
    apply (Rmult_le_reg_r (sqrt (2 * PI) * a)); [apply Rmult_lt_0_compat; lra |].
    replace (exp (- (a ^ 2 / 2)) / sqrt (2 * PI) / a * (sqrt (2 * PI) * a))
      with (1 * exp (- (a ^ 2 / 2))) by (field; split; lra).
    replace (0.468 * exp (- (a ^ 2 / 2)) * (sqrt (2 * PI) * a))
      with ((0.468 * (sqrt (2 * PI) * a)) * exp (- (a ^ 2 / 2))) by ring.
    apply Rmult_le_compat_r; [lra |].
    assert (2.5066 * 0.8525 <= sqrt (2 * PI) * a) by (apply Rmult_le_compat; lra). lra.
  - apply Rle_trans with (4 * exp (- 2.14) * exp (- (a ^ 2 / 2))).
    { apply Rmult_le_compat_r; [left; apply exp_pos |]. apply rest. }
    rewrite Rmult_assoc, <- exp_plus. apply Rmult_le_compat_l; [lra |].
    assert (square : a ^ 2 = 64 / 9 * r ^ 2 - 248 / 10 + (465 / 100) ^ 2 * / r ^ 2).
    { unfold a. replace 4.65 with (465 / 100) by lra. field. lra. }
    assert (y_pos : 0 < r ^ 2) by (apply pow_lt; lra).
    assert (order : - 2.14 + - (a ^ 2 / 2) <= - r ^ 2).
    { rewrite square. set (y := r ^ 2) in *.
      assert (above : 0 <= (46 / 18 * y ^ 2 - 1026 / 100 * y + 1081 / 100) * / y).
      { apply Rmult_le_pos; [pose proof (pow2_ge_0 (y - 4617 / 2300)); lra |].
        left. apply Rinv_0_lt_compat. exact y_pos. }
      replace ((46 / 18 * y ^ 2 - 1026 / 100 * y + 1081 / 100) * / y)
        with (46 / 18 * y - 1026 / 100 + 1081 / 100 * / y) in above by (field; lra).
      assert (0 < / y) by (apply Rinv_0_lt_compat; exact y_pos). lra. }
    destruct order as [less | same]; [left; apply exp_increasing; exact less |].
    right. rewrite same. reflexivity.
Qed.

End Normal.

(* The loss of all counters exceeds epsilon with probability at most delta. *)
Theorem printed_noise_up_to_24_8 : forall (Phi : R -> R) (H : nat) (w m Delta epsilon delta : R),
  normal Phi ->
  (1 <= H)%nat -> 0 < w <= weight H -> 0 < m -> 0 < Delta -> 0 < delta <= 1 ->
  0 < epsilon <= 248 / 10 ->
  let mu := sqrt (2 * rho w m Delta epsilon delta H) in
  Phi (mu / 2 - epsilon / mu) <= delta.
Proof.
  intros Phi H w m Delta epsilon delta is_normal one [w_pos w_most] m_pos Delta_pos
    [delta_pos delta_most] [epsilon_pos epsilon_most] mu.
  assert (H_one : 1 <= INR H) by (apply (le_INR 1); exact one).
  set (level := ln (4 * INR H / delta)).
  assert (inverse : 1 <= / delta) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (four : 4 <= 4 * INR H / delta) by (unfold Rdiv; nra).
  assert (level_large : 1.386 <= level).
  { apply Rle_trans with (ln 4); [interval with (i_prec 60) |]. unfold level.
    destruct four as [more | same]; [left; apply ln_increasing; lra | rewrite <- same; lra]. }
  set (c := w / (64 * INR H ^ 2)).
  assert (c_most : c <= 9 / 128) by (apply rate_at_most; assumption).
  assert (c_pos : 0 < c) by (apply Rdiv_lt_0_compat; [| apply Rmult_lt_0_compat; [| apply pow_lt]];
    lra).
  set (r := sqrt level). set (share := sqrt (2 * c)).
  assert (r_large : 1.177 <= r).
  { unfold r. rewrite <- (sqrt_pow2 1.177) by lra. apply sqrt_le_1_alt. lra. }
  assert (r_square : r * r = level) by (apply sqrt_sqrt; lra).
  assert (share_pos : 0 < share) by (apply sqrt_lt_R0; lra).
  assert (share_most : share <= 3 / 8).
  { unfold share. rewrite <- (sqrt_pow2 (3 / 8)) by lra. apply sqrt_le_1_alt. lra. }
  assert (share_square : share * share = 2 * c) by (apply sqrt_sqrt; lra).
  assert (mu_is : mu = share * epsilon / r).
  { unfold mu. replace (2 * rho w m Delta epsilon delta H) with ((share * epsilon / r) ^ 2).
    - apply sqrt_pow2. apply Rlt_le, Rdiv_lt_0_compat; [apply Rmult_lt_0_compat |]; lra.
    - replace ((share * epsilon / r) ^ 2) with (share * share * epsilon ^ 2 / (r * r))
        by (field; lra).
      rewrite share_square, r_square. unfold rho, printed_variance, c. fold level. field. lra. }
  assert (delta_is : delta = 4 * INR H * exp (- r ^ 2)).
  { replace (- r ^ 2) with (- level) by (rewrite <- r_square; ring).
    unfold level. rewrite exp_Ropp, exp_ln by lra. field. lra. }
  apply Rle_trans with (Phi (4.65 / r - 8 * r / 3)).
  - apply (increasing Phi is_normal). rewrite mu_is.
    replace (share * epsilon / r / 2 - epsilon / (share * epsilon / r))
      with (share * epsilon / 2 * / r - r * / share) by (field; lra).
    assert (8 / 3 <= / share).
    { replace (8 / 3) with (/ (3 / 8)) by field. apply Rinv_le_contravar; assumption. }
    assert (share * epsilon / 2 <= 4.65) by nra.
    assert (share * epsilon / 2 * / r <= 4.65 * / r).
    { apply Rmult_le_compat_r; [| assumption]. left. apply Rinv_0_lt_compat. lra. }
    assert (r * (8 / 3) <= r * / share) by (apply Rmult_le_compat_l; lra).
    unfold Rdiv in *. lra.
  - eapply Rle_trans; [apply (tail Phi is_normal r r_large) |]. rewrite delta_is.
    apply Rmult_le_compat_r; [left; apply exp_pos |]. lra.
Qed.

(* So a pair of laws on a finite set whose loss exceeds epsilon no more often than that of Gaussian
   noise is (epsilon, delta)-DP. *)
Theorem printed_noise_up_to_24_8_private : forall (X : Type) (l : list X) (P Q : X -> R)
    (event : X -> bool) (Phi : R -> R) (H : nat) (w m Delta epsilon delta : R),
  normal Phi ->
  (1 <= H)%nat -> 0 < w <= weight H -> 0 < m -> 0 < Delta -> 0 < delta <= 1 ->
  0 < epsilon <= 248 / 10 -> law l P -> law l Q ->
  let mu := sqrt (2 * rho w m Delta epsilon delta H) in
  probability l P (fun x => if Rlt_dec (exp epsilon * Q x) (P x) then true else false)
    <= Phi (mu / 2 - epsilon / mu) ->
  probability l P event <= exp epsilon * probability l Q event + delta.
Proof.
  intros X l P Q event Phi H w m Delta epsilon delta is_normal one w_range m_pos Delta_pos
    delta_range epsilon_range law_P law_Q mu loss.
  pose proof (printed_noise_up_to_24_8 Phi H w m Delta epsilon delta is_normal one w_range m_pos
    Delta_pos delta_range epsilon_range) as small. cbv zeta in small. fold mu in small.
  eapply Rle_trans with (exp epsilon * probability l Q event + probability l P _); [| apply
    Rplus_le_compat_l; eapply Rle_trans; [exact loss | exact small]].
  unfold probability. rewrite <- sum_scale, <- sum_plus. apply sum_le. intros x _.
  pose proof (exp_pos epsilon). destruct law_P as [P_nonneg _], law_Q as [Q_nonneg _].
  pose proof (P_nonneg x). assert (0 <= exp epsilon * Q x) by (apply Rmult_le_pos; [lra | auto]).
  destruct (event x), (Rlt_dec (exp epsilon * Q x) (P x)); lra.
Qed.

(* The mutant: 30, at H = 1, w = 9/2 and delta = 4 e^-2. *)
Theorem printed_noise_not_up_to_30 : forall Phi : R -> R, normal Phi ->
  ~ (forall (H : nat) (w m Delta epsilon delta : R),
     (1 <= H)%nat -> 0 < w <= weight H -> 0 < m -> 0 < Delta -> 0 < delta <= 1 ->
     0 < epsilon <= 30 ->
     let mu := sqrt (2 * rho w m Delta epsilon delta H) in
     Phi (mu / 2 - epsilon / mu) <= delta).
Proof.
  intros Phi is_normal claim. set (delta := 4 * exp (- 2)).
  assert (delta_range : 0.54 <= delta <= 0.542) by (unfold delta; split; interval with (i_prec 60)).
  assert (weight_is : weight 1 = 9 / 2) by (unfold weight, sum; simpl; lra).
  specialize (claim 1%nat (9 / 2) 1 1 30 delta ltac:(lia)). rewrite weight_is in claim.
  assert (level_is : ln (4 * INR 1 / delta) = 2).
  { simpl (INR 1). replace (4 * 1 / delta) with (/ exp (- 2)).
    - rewrite <- exp_Ropp, ln_exp. ring.
    - unfold delta. field. apply Rgt_not_eq, exp_pos. }
  assert (mu_is : sqrt (2 * rho (9 / 2) 1 1 30 delta 1) = 45 / 8 * sqrt 2).
  { replace (2 * rho (9 / 2) 1 1 30 delta 1) with ((45 / 8 * sqrt 2) ^ 2).
    - apply sqrt_pow2. pose proof (sqrt_pos 2). lra.
    - unfold rho, printed_variance. rewrite level_is. simpl (INR 1).
      replace ((45 / 8 * sqrt 2) ^ 2) with ((45 / 8) ^ 2 * (sqrt 2 * sqrt 2)) by ring.
      rewrite sqrt_sqrt by lra. field. }
  cbv zeta in claim. rewrite mu_is in claim.
  specialize (claim ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  assert (far : 0.2 <= 45 / 8 * sqrt 2 / 2 - 30 / (45 / 8 * sqrt 2)) by interval with (i_prec 60).
  pose proof (increasing Phi is_normal _ _ far) as more.
  destruct (slope Phi is_normal 0 0.2) as (x & rise & inside); [lra |].
  destruct is_normal as (_ & half & _). rewrite half in rise.
  assert (0.39 <= density x) by (unfold density; interval with (i_prec 60)).
  lra.
Qed.
