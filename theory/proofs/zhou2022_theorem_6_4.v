(* zhou2022/theorem-6.4: with the printed noise all counters together satisfy the conversion of the
   proof for every epsilon <= 6.6 ln(4H/delta), one user replaced, every H and delta in (0, 1].

   Argument. In units of the printed sensitivities one user moves the counters of step h by at most
   9/2 (((H-h)/H)^4 + 1), by squares; over all steps by at most 9/2 at H = 1, and by at most 9/2 (H
   + H/5) = 27/5 H always, since the sum of j^4 over j < H is at most H^5/5. Every user lies in m
   partial sums, and the printed variance is 32 m H^2 Delta^2 ln(4H/delta)/epsilon^2, so m cancels
   and rho = c epsilon^2/ln(4H/delta) with c = w/(64 H^2) <= 9/128 (at H >= 2 it is at most 27/640).
   As ln(1/delta) <= ln(4H/delta), rho + 2 sqrt(rho ln(1/delta)) <= epsilon (6.6 c + 2 sqrt(c)), and
   6.6 c + 2 sqrt(c) <= 1 for c <= 9/128. *)

Require Import Reals Lra Lia List.
Require Import finite zcdp.
Open Scope R_scope.

(* The most that one user moves all counters, by squares, in units of the printed sensitivities. *)
Definition weight (H : nat) : R := 9 / 2 * sum (seq 1 H) (fun h => (INR (H - h) / INR H) ^ 4 + 1).

(* The variance of a counter of sensitivity Delta whose users lie in m partial sums. *)
Definition printed_variance (m Delta epsilon delta : R) (H : nat) : R :=
  32 * m * INR H ^ 2 * Delta ^ 2 * ln (4 * INR H / delta) / epsilon ^ 2.

(* Gaussian noise of that variance, for a change of squared length m w Delta^2, is rho-zCDP. *)
Definition rho (w m Delta epsilon delta : R) (H : nat) : R :=
  m * w * Delta ^ 2 / (2 * printed_variance m Delta epsilon delta H).

Lemma fourth_powers H : 5 * sum (seq 1 H) (fun h => INR (H - h) ^ 4) <= INR H ^ 5.
Proof.
  assert (shift : forall n, sum (seq 1 (S n)) (fun h => INR (S n - h) ^ 4) =
    INR n ^ 4 + sum (seq 1 n) (fun h => INR (n - h) ^ 4)).
  { intro n. cbn [seq]. rewrite sum_cons. replace (S n - 1)%nat with n by lia. f_equal.
    rewrite <- seq_shift, sum_map. apply sum_ext. intros h _. reflexivity. }
  induction H as [|n IH]; [simpl; lra |]. rewrite shift, S_INR.
  pose proof (pos_INR n) as n_nonneg. set (x := INR n) in *.
  assert (0 <= x ^ 2 /\ 0 <= x ^ 3) as [square cube] by (split; apply pow_le; exact n_nonneg).
  replace ((x + 1) ^ 5) with (x ^ 5 + 5 * x ^ 4 + 10 * x ^ 3 + 10 * x ^ 2 + 5 * x + 1) by ring. lra.
Qed.

Lemma weight_at_most H : (1 <= H)%nat -> weight H <= 27 / 5 * INR H.
Proof.
  intro one. assert (H_pos : 0 < INR H) by (apply lt_0_INR; lia).
  unfold weight. rewrite sum_plus, sum_const, seq_length.
  rewrite (sum_ext _ _ (fun h => / INR H ^ 4 * INR (H - h) ^ 4)) by (intros; field; lra).
  rewrite sum_scale.
  pose proof (fourth_powers H) as powers.
  assert (fourth : 0 < / INR H ^ 4) by (apply Rinv_0_lt_compat, pow_lt; exact H_pos).
  apply (Rmult_le_compat_l (/ INR H ^ 4)) in powers; [| lra].
  replace (/ INR H ^ 4 * INR H ^ 5) with (INR H) in powers by (field; lra). lra.
Qed.

Lemma rate_at_most H w : (1 <= H)%nat -> w <= weight H -> w / (64 * INR H ^ 2) <= 9 / 128.
Proof.
  intros one below. assert (H_pos : 0 < INR H) by (apply lt_0_INR; lia).
  assert (square : 0 < 64 * INR H ^ 2) by
    (apply Rmult_lt_0_compat; [lra | apply pow_lt; exact H_pos]).
  apply (Rmult_le_reg_r (64 * INR H ^ 2)); [exact square |].
  unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  eapply Rle_trans; [exact below |].
  destruct (Nat.eq_dec H 1) as [-> | more].
  - unfold weight, sum. simpl. lra.
  - eapply Rle_trans; [apply weight_at_most; exact one |].
    assert (two : 2 <= INR H) by (apply (le_INR 2); lia). simpl. nra.
Qed.

(* The printed noise solves the conversion, for every epsilon up to 6.6 ln(4H/delta). *)
Theorem printed_noise_linear_range : forall (H : nat) (w m Delta epsilon delta : R),
  (1 <= H)%nat -> 0 < w <= weight H -> 0 < m -> 0 < Delta -> 0 < delta <= 1 ->
  0 < epsilon <= 66 / 10 * ln (4 * INR H / delta) ->
  rho w m Delta epsilon delta H + 2 * sqrt (rho w m Delta epsilon delta H * ln (1 / delta)) <=
    epsilon.
Proof.
  intros H w m Delta epsilon delta one [w_pos w_most] m_pos Delta_pos [delta_pos delta_most]
    [epsilon_pos epsilon_most].
  set (level := ln (4 * INR H / delta)) in *. set (L := ln (1 / delta)).
  assert (H_one : 1 <= INR H) by (apply (le_INR 1); exact one).
  assert (level_pos : 0 < level) by lra.
  assert (inverse : 1 <= / delta) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (L_nonneg : 0 <= L).
  { unfold L, Rdiv. rewrite Rmult_1_l, <- ln_1.
  destruct (Rle_lt_or_eq_dec _ _ inverse) as [less | same];
      [left; apply ln_increasing; lra | rewrite same; lra]. }
  assert (L_most : L <= level).
  { unfold L, level, Rdiv. left. apply ln_increasing; [lra |]. nra. }
  set (c := w / (64 * INR H ^ 2)).
  assert (c_most : c <= 9 / 128) by (apply rate_at_most; assumption).
  assert (c_pos : 0 < c) by (apply Rdiv_lt_0_compat; [| apply Rmult_lt_0_compat; [| apply pow_lt]];
    lra).
  assert (rho_is : rho w m Delta epsilon delta H = c * epsilon ^ 2 / level).
  { unfold rho, printed_variance, c. fold level. field. lra. }
  rewrite rho_is.
  assert (first : c * epsilon ^ 2 / level <= 66 / 10 * (9 / 128) * epsilon).
  { apply (Rmult_le_reg_r level); [exact level_pos |].
    replace (c * epsilon ^ 2 / level * level) with (c * epsilon * epsilon) by (field; lra).
    apply Rle_trans with (9 / 128 * epsilon * epsilon).
    - apply Rmult_le_compat_r; [lra |]. apply Rmult_le_compat_r; lra.
    - replace (66 / 10 * (9 / 128) * epsilon * level) with
        (9 / 128 * epsilon * (66 / 10 * level)) by ring.
      apply Rmult_le_compat_l; [| exact epsilon_most]. apply Rmult_le_pos; lra. }
  assert (second : sqrt (c * epsilon ^ 2 / level * L) <= 266 / 1000 * epsilon).
  { rewrite <- (sqrt_square (266 / 1000 * epsilon)) by (apply Rmult_le_pos; lra).
  apply sqrt_le_1_alt.
    apply Rle_trans with (c * epsilon ^ 2).
    - replace (c * epsilon ^ 2 / level * L) with (c * epsilon ^ 2 * (L / level)) by (field; lra).
      rewrite <- (Rmult_1_r (c * epsilon ^ 2)) at 2. apply Rmult_le_compat_l.
      + apply Rmult_le_pos; [lra | apply pow2_ge_0].
      + apply (Rmult_le_reg_r level); [exact level_pos |]. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l by lra. lra.
    - pose proof (pow2_ge_0 epsilon). nra. }
  lra.
Qed.

(* So a pair of laws that is rho-zCDP at that noise is (epsilon, delta)-DP. *)
Theorem printed_noise_private : forall (X : Type) (l : list X) (P Q : X -> R) (event : X -> bool)
    (H : nat) (w m Delta epsilon delta : R),
  (1 <= H)%nat -> 0 < w <= weight H -> 0 < m -> 0 < Delta -> 0 < delta < 1 ->
  0 < epsilon <= 66 / 10 * ln (4 * INR H / delta) ->
  positive_law l P -> positive_law l Q ->
  (forall s, 0 < s -> moment_at_most l P Q s (rho w m Delta epsilon delta H)) ->
  probability l P event <= exp epsilon * probability l Q event + delta.
Proof.
  intros X l P Q event H w m Delta epsilon delta one w_range m_pos Delta_pos delta_range
    epsilon_range law_P law_Q moments.
  assert (rho_pos : 0 < rho w m Delta epsilon delta H).
  { unfold rho, printed_variance. assert (0 < INR H) by (apply lt_0_INR; lia).
    apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat | apply pow_lt];
      lra |].
    apply Rmult_lt_0_compat; [lra |]. apply Rdiv_lt_0_compat; [| apply pow_lt; lra].
    repeat (apply Rmult_lt_0_compat; try apply pow_lt); lra. }
  eapply Rle_trans; [apply (zcdp_bun_steinke X l P Q (rho w m Delta epsilon delta H) delta event);
    assumption |].
  apply Rplus_le_compat_r, Rmult_le_compat_r.
  - unfold probability. apply sum_nonneg. intros x _. destruct (event x); [left; apply law_Q | lra].
  - assert (below : rho w m Delta epsilon delta H + 2 * sqrt
      (rho w m Delta epsilon delta H * ln (1 / delta)) <= epsilon)
      by (apply printed_noise_linear_range; try assumption; destruct delta_range; split; lra).
    destruct (Rle_lt_or_eq_dec _ _ below) as [less | same];
      [left; apply exp_increasing; exact less | rewrite same; apply Rle_refl].
Qed.

(* The mutant: 7 in place of 6.6, at H = 1, w = 9/2 and delta small. *)
Theorem printed_noise_not_7 : ~ (forall (H : nat) (w m Delta epsilon delta : R),
  (1 <= H)%nat -> 0 < w <= weight H -> 0 < m -> 0 < Delta -> 0 < delta <= 1 ->
  0 < epsilon <= 7 * ln (4 * INR H / delta) ->
  rho w m Delta epsilon delta H + 2 * sqrt (rho w m Delta epsilon delta H * ln (1 / delta)) <=
    epsilon).
Proof.
  intro seven.
  assert (fourfold : 0 < ln 4 <= 3).
  { split; [rewrite <- ln_1; apply ln_increasing; lra |]. pose proof (log_at_most 4 ltac:(lra)).
  lra. }
  set (L := 1000). set (delta := exp (- L)).
  assert (delta_range : 0 < delta < 1).
  { unfold delta, L. split; [apply exp_pos |]. rewrite <- exp_0. apply exp_increasing. lra. }
  assert (L_is : ln (1 / delta) = L).
  { unfold Rdiv. rewrite Rmult_1_l, ln_Rinv by lra. unfold delta. rewrite ln_exp. ring. }
  assert (level_is : ln (4 * INR 1 / delta) = ln 4 + L).
  { simpl (INR 1). replace (4 * 1 / delta) with (4 * (1 / delta)) by (field; lra).
    rewrite ln_mult, L_is; [reflexivity | lra |]. apply Rdiv_lt_0_compat; lra. }
  set (epsilon := 7 * (ln 4 + L)).
  assert (weight_is : weight 1 = 9 / 2) by (unfold weight, sum; simpl; lra).
  specialize (seven 1%nat (9 / 2) 1 1 epsilon delta ltac:(lia)).
  rewrite weight_is, level_is, L_is in seven.
  assert (epsilon_pos : 7000 <= epsilon) by (unfold epsilon, L; lra).
  assert (rho_is : rho (9 / 2) 1 1 epsilon delta 1 = 9 / 128 * 7 * epsilon).
  { unfold rho, printed_variance. rewrite level_is. simpl (INR 1). unfold epsilon. field. unfold L.
  lra. }
  rewrite rho_is in seven.
  assert (root : 262 / 1000 * epsilon <= sqrt (9 / 128 * 7 * epsilon * L)).
  { rewrite <- (sqrt_square (262 / 1000 * epsilon)) by lra. apply sqrt_le_1_alt.
    assert (epsilon <= 7 * (3 + L)) by (unfold epsilon; lra). unfold L in *. nra. }
  assert (contradiction : 9 / 128 * 7 * epsilon + 2 * sqrt (9 / 128 * 7 * epsilon * L) <= epsilon).
  { apply seven; unfold epsilon; unfold L in *; lra. }
  lra.
Qed.
