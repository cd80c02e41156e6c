(* From zero-concentrated to (epsilon, delta)-DP, as the proofs of chowdhury2021/theorem-2 and
   zhou2022/theorem-6.4 do it: Bun and Steinke's conversion and the optimal one, for finite laws,
   with the pointwise step inside; and the noise in closed form that solves the first.

   Argument. Let P, Q be positive laws and s > 0. For y in (0, 1), ln t <= t - 1 at t = (1 + s)(1 -
   y) and, s times, at t = (1 + s) y/s gives (1 - y) y^s <= k(s) = (s/(1 + s))^s/(1 + s), attained
   at y = s/(1 + s). With y = e^epsilon Q x/P x: P x - e^epsilon Q x <= k(s) e^(-s epsilon) P x (P
   x/Q x)^s, also where the left side is negative. Add up over an event: P(event) - e^epsilon
   Q(event) <= k(s) e^(s ((1 + s) rho - epsilon)) whenever the moment of the ratio is at most e^(s
   (1 + s) rho), which is rho-zCDP. As k(s) <= 1, s = sqrt(L/rho) gives Bun and Steinke's epsilon =
   rho + 2 sqrt(rho L) with delta = e^(-L). *)

Require Import Reals Lra List.
Require Import finite.
Open Scope R_scope.

(* y to the power s, for y > 0. *)
Definition power (y s : R) : R := exp (s * ln y).

Definition k (s : R) : R := power (s / (1 + s)) s / (1 + s).

Definition positive_law {X : Type} (l : list X) (p : X -> R) : Prop :=
  (forall x, 0 < p x) /\ sum l p = 1.

(* rho-zCDP of the pair at the order 1 + s. *)
Definition moment_at_most {X : Type} (l : list X) (P Q : X -> R) (s rho : R) : Prop :=
  sum l (fun x => P x * power (P x / Q x) s) <= exp (s * (1 + s) * rho).

Definition probability {X : Type} (l : list X) (p : X -> R) (event : X -> bool) : R :=
  sum l (fun x => if event x then p x else 0).

Lemma log_at_most t : 0 < t -> ln t <= t - 1.
Proof.
  intro positive. pose proof (exp_ineq1_le (ln t)) as tangent.
  rewrite exp_ln in tangent by exact positive. lra.
Qed.

(* The pointwise step, sharp. *)
Theorem zcdp_pointwise : forall s y, 0 < s -> 0 < y -> (1 - y) * power y s <= k s.
Proof.
  intros s y s_pos y_pos. unfold k.
  assert (alpha : 0 < 1 + s) by lra.
  assert (k_pos : 0 < power (s / (1 + s)) s / (1 + s)) by
    (apply Rdiv_lt_0_compat; [apply exp_pos | exact alpha]).
  destruct (Rle_or_lt 1 y) as [large | small].
  - assert (0 < power y s) by apply exp_pos. nra.
  - assert (ratio : 0 < s / (1 + s)) by (apply Rdiv_lt_0_compat; assumption).
    assert (first : ln ((1 + s) * (1 - y)) <= (1 + s) * (1 - y) - 1)
      by (apply log_at_most, Rmult_lt_0_compat; lra).
    assert (second : ln (y / (s / (1 + s))) <= y / (s / (1 + s)) - 1)
      by (apply log_at_most, Rdiv_lt_0_compat; assumption).
    apply (Rmult_le_compat_l s) in second; [| lra].
    replace (s * (y / (s / (1 + s)) - 1)) with ((1 + s) * y - s) in second by (field; lra).
    rewrite ln_mult in first by lra. unfold Rdiv at 1 in second. rewrite ln_mult, ln_Rinv in second
      by (try assumption; apply Rinv_0_lt_compat; assumption).
    replace ((1 - y) * power y s) with (exp (ln (1 - y) + s * ln y))
      by (unfold power; rewrite exp_plus, exp_ln by lra; reflexivity).
    replace (power (s / (1 + s)) s / (1 + s)) with (exp (s * ln (s / (1 + s)) - ln (1 + s)))
      by (unfold power, Rminus, Rdiv at 3; rewrite exp_plus, exp_Ropp, exp_ln by lra; reflexivity).
    assert (below : ln (1 - y) + s * ln y <= s * ln (s / (1 + s)) - ln (1 + s)) by lra.
    destruct (Rle_lt_or_eq_dec _ _ below) as [less | same];
      [left; apply exp_increasing; exact less | rewrite same; apply Rle_refl].
Qed.

(* Its mutant: 0.99 of k(s) is too little at every s. *)
Theorem zcdp_pointwise_not_0_99 : forall s, 0 < s -> ~ (forall y, 0 < y ->
  (1 - y) * power y s <= 99 / 100 * k s).
Proof.
  intros s s_pos less.
  assert (ratio : 0 < s / (1 + s)) by (apply Rdiv_lt_0_compat; lra).
  specialize (less (s / (1 + s)) ratio).
  assert (equal : (1 - s / (1 + s)) * power (s / (1 + s)) s = k s) by (unfold k; field; lra).
  assert (0 < k s) by (apply Rdiv_lt_0_compat; [apply exp_pos | lra]). lra.
Qed.

(* The optimal conversion: every order 1 + s gives a delta. *)
Theorem zcdp_optimal : forall (X : Type) (l : list X) (P Q : X -> R) (s rho epsilon : R)
  (event : X -> bool),
  positive_law l P -> positive_law l Q -> 0 < s -> moment_at_most l P Q s rho ->
  probability l P event <=
  exp epsilon * probability l Q event + k s * exp (s * ((1 + s) * rho - epsilon)).
Proof.
  intros X l P Q s rho epsilon event [P_pos _] [Q_pos _] s_pos moment.
  assert (k_pos : 0 < k s) by (apply Rdiv_lt_0_compat; [apply exp_pos | lra]).
  assert (pointwise : forall x, P x - exp epsilon * Q x <= k s * exp (- s * epsilon) *
    (P x * power (P x / Q x) s)).
  { intro x. pose proof (P_pos x) as p. pose proof (Q_pos x) as q.
  pose proof (exp_pos epsilon) as e.
    set (y := exp epsilon * Q x / P x).
    assert (y_pos : 0 < y) by (unfold y; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat |];
      assumption).
    pose proof (zcdp_pointwise s y s_pos y_pos) as step.
    assert (inverse : power y s * (exp (- s * epsilon) * power (P x / Q x) s) = 1).
    { unfold power, y. rewrite <- !exp_plus. rewrite <- exp_0. f_equal.
      unfold Rdiv. rewrite !ln_mult, !ln_Rinv, ln_exp by
        (try assumption; try (apply Rinv_0_lt_compat; assumption); apply Rmult_lt_0_compat;
          assumption). ring. }
    set (z := exp (- s * epsilon) * power (P x / Q x) s) in *.
    assert (z_pos : 0 < z) by (unfold z; apply Rmult_lt_0_compat; apply exp_pos).
    replace (P x - exp epsilon * Q x) with (P x * (1 - y)) by (unfold y; field; lra).
    replace (k s * exp (- s * epsilon) * (P x * power (P x / Q x) s)) with
      (P x * (k s * z)) by (unfold z; ring).
    apply Rmult_le_compat_l; [lra |].
    apply (Rmult_le_compat_r z) in step; [| lra]. rewrite Rmult_assoc, inverse in step. lra. }
  assert (summed : probability l P event - exp epsilon * probability l Q event <=
            k s * exp (- s * epsilon) * sum l (fun x => P x * power (P x / Q x) s)).
  { unfold probability. rewrite <- !sum_scale, <- sum_minus. apply sum_le. intros x _.
    destruct (event x); [apply pointwise |]. rewrite Rmult_0_r, Rminus_0_r.
    apply Rmult_le_pos; [apply Rmult_le_pos; [lra | left; apply exp_pos] |].
    apply Rmult_le_pos; [left; apply P_pos | left; apply exp_pos]. }
  assert (bound : k s * exp (- s * epsilon) * sum l (fun x => P x * power (P x / Q x) s) <=
            k s * exp (- s * epsilon) * exp (s * (1 + s) * rho)).
  { apply Rmult_le_compat_l; [| exact moment]. apply Rmult_le_pos; [lra | left; apply exp_pos]. }
  replace (k s * exp (s * ((1 + s) * rho - epsilon))) with
    (k s * exp (- s * epsilon) * exp (s * (1 + s) * rho))
    by (rewrite Rmult_assoc, <- exp_plus; f_equal; f_equal; ring).
  lra.
Qed.

Lemma k_at_most_one s : 0 < s -> k s <= 1.
Proof.
  intro s_pos. assert (ratio : 0 < s / (1 + s)) by (apply Rdiv_lt_0_compat; lra).
  assert (less : s / (1 + s) <= 1).
  { apply (Rmult_le_reg_r (1 + s)); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  pose proof (log_at_most _ ratio) as log. unfold k, power.
  assert (small : exp (s * ln (s / (1 + s))) <= 1).
  { apply Rle_trans with (exp 0); [| rewrite exp_0; apply Rle_refl].
    destruct (Rle_lt_or_eq_dec (s * ln (s / (1 + s))) 0) as [below | same].
    - assert (ln (s / (1 + s)) <= 0) by lra. nra.
    - left. apply exp_increasing. exact below.
    - rewrite same. apply Rle_refl. }
  apply (Rmult_le_reg_r (1 + s)); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(* Bun and Steinke's conversion: rho-zCDP at all orders gives (rho + 2 sqrt(rho ln(1/delta)),
   delta)-DP. *)
Theorem zcdp_bun_steinke : forall (X : Type) (l : list X) (P Q : X -> R) (rho delta : R)
  (event : X -> bool),
  positive_law l P -> positive_law l Q -> 0 < rho -> 0 < delta < 1 ->
  (forall s, 0 < s -> moment_at_most l P Q s rho) ->
  probability l P event <=
  exp (rho + 2 * sqrt (rho * ln (1 / delta))) * probability l Q event + delta.
Proof.
  intros X l P Q rho delta event law_P law_Q rho_pos [delta_pos delta_less] moments.
  set (L := ln (1 / delta)).
  assert (L_is : ln delta = - L) by (unfold L, Rdiv; rewrite Rmult_1_l, ln_Rinv by exact delta_pos;
    ring).
  assert (L_pos : 0 < L).
  { assert (ln delta < ln 1) by (apply ln_increasing; assumption). rewrite ln_1 in *. lra. }
  set (root := sqrt (rho * L)).
  assert (product : 0 < rho * L) by (apply Rmult_lt_0_compat; assumption).
  assert (root_pos : 0 < root) by (apply sqrt_lt_R0; exact product).
  assert (square : root * root = rho * L) by (apply sqrt_sqrt; lra).
  set (s := root / rho). assert (s_pos : 0 < s) by (apply Rdiv_lt_0_compat; assumption).
  eapply Rle_trans.
  - apply (zcdp_optimal X l P Q s rho (rho + 2 * root)); auto.
  - apply Rplus_le_compat_l.
    replace (s * ((1 + s) * rho - (rho + 2 * root))) with (- L).
    + rewrite <- L_is, exp_ln by exact delta_pos. pose proof (k_at_most_one s s_pos). nra.
    + unfold s. replace (root / rho * ((1 + root / rho) * rho - (rho + 2 * root))) with
        (- (root * root) / rho)
        by (field; lra). rewrite square. field. lra.
Qed.

(* The noise in closed form. A change of squared length change, released with Gaussian noise of
   variance variance, is rho-zCDP with rho = change/(2 variance); at this variance the conversion
   gives epsilon exactly. *)
Theorem zcdp_closed_form : forall change epsilon L, 0 < change -> 0 < epsilon -> 0 < L ->
  let variance := change * (sqrt (L + epsilon) + sqrt L) ^ 2 / (2 * epsilon ^ 2) in
  let rho := change / (2 * variance) in
  rho + 2 * sqrt (rho * L) = epsilon.
Proof.
  intros change epsilon L change_pos epsilon_pos L_pos variance rho.
  set (a := sqrt (L + epsilon)). set (b := sqrt L).
  assert (a_square : a * a = L + epsilon) by (apply sqrt_sqrt; lra).
  assert (b_square : b * b = L) by (apply sqrt_sqrt; lra).
  assert (b_pos : 0 < b) by (apply sqrt_lt_R0; exact L_pos).
  assert (a_more : b < a) by (apply sqrt_lt_1; lra).
  assert (rho_is : rho = (a - b) * (a - b)).
  { unfold rho, variance. fold a b. replace epsilon with
    ((a - b) * (a + b)) by (rewrite <- (Rplus_minus L epsilon); nra).
    field. repeat split; nra. }
  rewrite rho_is. replace ((a - b) * (a - b) * L) with
    (((a - b) * b) * ((a - b) * b)) by (rewrite <- b_square; ring).
  rewrite sqrt_square by (apply Rmult_le_pos; lra). nra.
Qed.
