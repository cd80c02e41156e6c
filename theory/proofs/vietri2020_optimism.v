(* vietri2020, Appendix B.4 with the two cases that end the proof of Lemma 15 (Q~+ = H where
   n~ < 2E): Lemma 15, Lemma 17, Lemma 16 and Theorem 14, for every S, A, H, T, beta and E > 0.

   Hats are exact counts, n^ visits, r^ rewards, m^ moves to each next state; n~, r~, m~ are what
   the counters release. V = V~_{h+1}, L = 2 ln(T/beta'), beta' = beta/4, phi^ = sqrt(L/n^) as
   meant, phi~ = sqrt(L/max(n~ - E, 1)), psi~ = (1 + SH) (3E/n~ + 2 E^2/n~^2).

   Lemma 15. Let N^ = r^ + sum V m^ and N~ = r~ + sum V m~. As the moves add up to n^, rewards are
   in [0, 1] and 0 <= V <= H, 0 <= N^ <= (1 + H) n^; as releases err by less than E,
   |N~ - N^| <= (1 + SH) E. Where n~ >= 2E, n^ > n~ - E >= E > 0. Then

     (2 + H + SH) E n^ - (N^ n~ - N~ n^)
        = n^ (N~ - N^ + (1 + SH) E) + N^ (E - n~ + n^) + E ((1 + H) n^ - N^)  >=  0,

   and the same with the roles exchanged, so |N^/n^ - N~/n~| <= (2 + H + SH) E/n~ <= (2/3) psi~.
   phi^ <= phi~, as n^ >= n~ - E and n^ >= 1 is whole.

   Lemma 17. On the good event the mean reward errs by less than phi^ and the mean of V*_{h+1}
   over the moves by less than H phi^; and V >= V*_{h+1} can only help.

   Lemma 16, by induction from the last step. If V*_{h+1} <= V~_{h+1} <= H, then 0 <= V~_{h+1},
   so Lemmas 15 and 17 hold at step h: Q~+ >= min(H, Q^+) >= Q* where n~ >= 2E, as Q* <= H, and
   Q~+ = H >= Q* elsewhere. So V~_h >= V*_h. *)

Require Import Reals Lra Lia Arith.
Require Import totals.
Open Scope R_scope.

(* ---- finite sums and maxima ---- *)

(* the largest of f 0, .., f (k - 1), for k >= 1 *)
Fixpoint largest (k : nat) (f : nat -> R) : R :=
  match k with
  | O => 0
  | S O => f O
  | S j => Rmax (largest j f) (f j)
  end.

Lemma total_difference : forall k f g,
  total k (fun i => f i - g i) = total k f - total k g.
Proof. induction k as [|k same]; intros; simpl; [ring | rewrite same; ring]. Qed.

Lemma largest_above : forall k f i, (i < k)%nat -> f i <= largest k f.
Proof.
  induction k as [|k above]; intros f i small; [lia|].
  destruct k as [|k].
  - replace i with O by lia. simpl. lra.
  - change (f i <= Rmax (largest (S k) f) (f (S k))).
    destruct (Nat.eq_dec i (S k)) as [same | other].
    + rewrite same. apply Rmax_r.
    + apply Rle_trans with (2 := Rmax_l _ _). apply above. lia.
Qed.

Lemma largest_below : forall k f c,
  (1 <= k)%nat -> (forall i, (i < k)%nat -> f i <= c) -> largest k f <= c.
Proof.
  induction k as [|k below]; intros f c some small; [lia|].
  destruct k as [|k].
  - simpl. apply small. lia.
  - change (Rmax (largest (S k) f) (f (S k)) <= c).
    apply Rmax_lub; [apply below; [lia | intros; apply small; lia] | apply small; lia].
Qed.

Lemma largest_same : forall k f g,
  (forall i, (i < k)%nat -> f i = g i) -> largest k f = largest k g.
Proof.
  induction k as [|k same]; intros f g equal; [reflexivity|].
  destruct k as [|k]; [apply equal; lia|].
  change (Rmax (largest (S k) f) (f (S k)) = Rmax (largest (S k) g) (g (S k))).
  rewrite (same f g), equal; [reflexivity | lia | intros; apply equal; lia].
Qed.

(* ---- one tuple (s, a, h) ---- *)

Section Tuple.

Variables nS H T : nat.                  (* S states, H steps, T episodes *)
Variables beta E : R.                    (* failure probability; E_epsilon *)

Definition phi_hat (n : nat) : R := sqrt (2 * ln (INR T / (beta / 4)) / INR n).

Definition phi_tilde (n : R) : R := sqrt (2 * ln (INR T / (beta / 4)) / Rmax (n - E) 1).

Definition psi (n : R) : R := (1 + INR nS * INR H) * (3 * E / n + 2 * E ^ 2 / n ^ 2).

(* Q^ and Q~ have this form: (reward + sum V(s') moves(s')) / visits *)
Definition estimate (visits reward : R) (moves V : nat -> R) : R :=
  (reward + total nS (fun s' => V s' * moves s')) / visits.

(* Q^+ of equation 27 *)
Definition Q_hat_plus (n : nat) (r : R) (m V : nat -> R) : R :=
  estimate (INR n) r m V + (INR H + 1) * phi_hat n.

(* Q~+ as the proof of Lemma 15 ends, clipped as in algorithm 3; c = 1 is the paper's psi~ *)
Definition Q_tilde_plus (c n r : R) (m V : nat -> R) : R :=
  if Rle_dec (2 * E) n
  then Rmin (INR H) (estimate n r m V + c * psi n + (INR H + 1) * phi_tilde n)
  else INR H.

(* Q~+ by algorithm 3 as printed: conf = H where n~ < 2E, but the division by n~ stays *)
Definition Q_printed (n r : R) (m V : nat -> R) : R :=
  Rmin (INR H) (estimate n r m V
    + (if Rle_dec (2 * E) n then (INR H + 1) * phi_tilde n + psi n else INR H)).

(* exact counts of a tuple: rewards in [0, 1], and each visit moves to one next state *)
Definition counts (n : nat) (r : R) (m : nat -> R) : Prop :=
  0 <= r <= INR n /\ (forall s', (s' < nS)%nat -> 0 <= m s') /\ total nS m = INR n.

(* none of F^PN, F^PR, F^PM at this tuple *)
Definition released (n : nat) (r : R) (m : nat -> R) (nt rt : R) (mt : nat -> R) : Prop :=
  Rabs (nt - INR n) < E /\ Rabs (rt - r) < E /\
  forall s', (s' < nS)%nat -> Rabs (mt s' - m s') < E.

Lemma absolute : forall x c, Rabs x < c -> - c < x < c.
Proof. intros x c near. apply Rabs_def2 in near. lra. Qed.

Lemma quotients : forall N n Nt nt B,
  0 < n -> 0 < nt -> N * nt - Nt * n <= B * n -> N / n - Nt / nt <= B / nt.
Proof.
  intros N n Nt nt B n_positive nt_positive cleared.
  replace (N / n - Nt / nt) with ((N * nt - Nt * n) * / (n * nt)) by (field; lra).
  replace (B / nt) with (B * n * / (n * nt)) by (field; lra).
  apply Rmult_le_compat_r; [|assumption].
  apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat; assumption.
Qed.

Lemma numerators : forall (m mt V : nat -> R),
  0 < E ->
  (forall s', (s' < nS)%nat -> Rabs (mt s' - m s') < E) ->
  (forall s', (s' < nS)%nat -> 0 <= V s' <= INR H) ->
  - (INR nS * INR H * E) <= total nS (fun s' => V s' * mt s') - total nS (fun s' => V s' * m s')
    <= INR nS * INR H * E.
Proof.
  intros m mt V E_positive near clipped. rewrite <- total_difference.
  replace (INR nS * INR H * E) with (total nS (fun _ => INR H * E))
    by (rewrite total_constant; ring).
  replace (- total nS (fun _ => INR H * E)) with (total nS (fun _ => - (INR H * E)))
    by (rewrite !total_constant; ring).
  split; apply total_at_most; intros s' inside;
    pose proof (absolute _ _ (near s' inside)); destruct (clipped s' inside) as [low high];
    replace (V s' * mt s' - V s' * m s') with (V s' * (mt s' - m s')) by ring.
  - assert (V s' * (E + (mt s' - m s')) >= 0) by (apply Rle_ge, Rmult_le_pos; lra).
    assert ((INR H - V s') * E >= 0) by (apply Rle_ge, Rmult_le_pos; lra). lra.
  - assert (V s' * (E - (mt s' - m s')) >= 0) by (apply Rle_ge, Rmult_le_pos; lra).
    assert ((INR H - V s') * E >= 0) by (apply Rle_ge, Rmult_le_pos; lra). lra.
Qed.

Lemma known : forall (n : nat) (nt : R),
  0 < E -> Rabs (nt - INR n) < E -> 2 * E <= nt -> 1 <= INR n.
Proof.
  intros n nt E_positive near large. pose proof (absolute _ _ near).
  change 1 with (INR 1). apply le_INR. destruct n as [|n]; [simpl in *; lra | lia].
Qed.

Lemma distance : forall (n : nat) (r nt rt : R) (m mt V : nat -> R),
  0 < E -> counts n r m -> released n r m nt rt mt ->
  (forall s', (s' < nS)%nat -> 0 <= V s' <= INR H) -> 2 * E <= nt ->
  Rabs (estimate (INR n) r m V - estimate nt rt mt V)
    <= (2 + INR H + INR nS * INR H) * E / nt.
Proof.
  intros n r nt rt m mt V E_positive [reward [moves sums]] [near_n [near_r near_m]] clipped large.
  pose proof (known n nt E_positive near_n large) as visited.
  pose proof (numerators m mt V E_positive near_m clipped) as near.
  apply absolute in near_n. apply absolute in near_r. unfold estimate.
  assert (0 <= total nS (fun s' => V s' * m s')) as not_negative.
  { replace 0 with (total nS (fun _ => 0)) by (rewrite total_constant; ring).
    apply total_at_most. intros s' inside.
    apply Rmult_le_pos; [apply clipped | apply moves]; assumption. }
  assert (total nS (fun s' => V s' * m s') <= INR H * INR n) as at_most.
  { rewrite <- sums, <- total_scaled. apply total_at_most. intros s' inside.
    apply Rmult_le_compat_r; [apply moves | apply clipped]; assumption. }
  set (N := r + total nS (fun s' => V s' * m s')) in *.
  set (Nt := rt + total nS (fun s' => V s' * mt s')) in *.
  set (K := 1 + INR nS * INR H).
  assert (0 <= N <= (1 + INR H) * INR n) as N_bounds by (unfold N; lra).
  assert (- (K * E) <= Nt - N <= K * E) as N_near by (unfold N, Nt, K; lra).
  assert (0 <= INR n * (Nt - N + K * E)) by (apply Rmult_le_pos; lra).
  assert (0 <= INR n * (N - Nt + K * E)) by (apply Rmult_le_pos; lra).
  assert (0 <= N * (E - nt + INR n)) by (apply Rmult_le_pos; lra).
  assert (0 <= N * (E + nt - INR n)) by (apply Rmult_le_pos; lra).
  assert (0 <= E * ((1 + INR H) * INR n - N)) by (apply Rmult_le_pos; lra).
  assert (N / INR n - Nt / nt <= (2 + INR H + INR nS * INR H) * E / nt) as above.
  { apply quotients; try lra. unfold K in *. lra. }
  assert (- (N / INR n - Nt / nt) <= (2 + INR H + INR nS * INR H) * E / nt) as below.
  { replace (- (N / INR n - Nt / nt)) with (- N / INR n - - Nt / nt) by (field; lra).
    apply quotients; try lra. unfold K in *. lra. }
  apply Rabs_le. lra.
Qed.

Lemma two_thirds : forall nt : R,
  (1 <= nS)%nat -> 0 < E -> 2 * E <= nt ->
  (2 + INR H + INR nS * INR H) * E / nt <= 2 / 3 * psi nt.
Proof.
  intros nt states E_positive large. unfold psi.
  assert (1 <= INR nS) by (change 1 with (INR 1); apply le_INR; assumption).
  pose proof (pos_INR H) as H_positive.
  assert (0 <= (INR nS - 1) * INR H) by (apply Rmult_le_pos; lra).
  assert (0 < E / nt) as ratio by (apply Rdiv_lt_0_compat; lra).
  replace (2 / 3 * ((1 + INR nS * INR H) * (3 * E / nt + 2 * E ^ 2 / nt ^ 2)))
    with (2 * (1 + INR nS * INR H) * (E / nt)
          + 4 / 3 * ((1 + INR nS * INR H) * ((E / nt) * (E / nt)))) by (field; lra).
  replace ((2 + INR H + INR nS * INR H) * E / nt)
    with ((2 + INR H + INR nS * INR H) * (E / nt)) by (field; lra).
  assert (0 <= (1 + INR nS * INR H) * ((E / nt) * (E / nt)))
    by (apply Rmult_le_pos; [|apply Rmult_le_pos]; lra).
  assert (0 <= (INR nS * INR H - INR H) * (E / nt)) by (apply Rmult_le_pos; lra).
  lra.
Qed.

Lemma logarithm : (1 <= T)%nat -> 0 < beta < 1 -> 0 <= 2 * ln (INR T / (beta / 4)).
Proof.
  intros episodes beta_inside.
  assert (1 <= INR T) by (change 1 with (INR 1); apply le_INR; assumption).
  assert (0 < ln (INR T / (beta / 4))); [|lra].
  rewrite <- ln_1. apply ln_increasing; [lra|].
  apply Rmult_lt_reg_r with (beta / 4); [lra|].
  replace (INR T / (beta / 4) * (beta / 4)) with (INR T) by (field; lra). lra.
Qed.

Lemma roots : forall (n : nat) (nt : R),
  (1 <= T)%nat -> 0 < beta < 1 -> 0 < E -> Rabs (nt - INR n) < E -> 2 * E <= nt ->
  phi_hat n <= phi_tilde nt.
Proof.
  intros n nt episodes beta_inside E_positive near large.
  pose proof (known n nt E_positive near large). apply absolute in near.
  unfold phi_hat, phi_tilde. apply sqrt_le_1_alt. apply Rmult_le_compat_l.
  - apply logarithm; assumption.
  - apply Rinv_le_contravar; [apply Rlt_le_trans with (2 := Rmax_r _ _); lra|].
    apply Rmax_lub; lra.
Qed.

Theorem lemma_15 : forall (n : nat) (r nt rt : R) (m mt V : nat -> R),
  (1 <= nS)%nat -> (1 <= T)%nat -> 0 < beta < 1 -> 0 < E ->
  counts n r m -> released n r m nt rt mt ->
  (forall s', (s' < nS)%nat -> 0 <= V s' <= INR H) ->
  Q_tilde_plus 1 nt rt mt V >= Rmin (INR H) (Q_hat_plus n r m V) /\
  (2 * E <= nt ->
    Rabs (estimate (INR n) r m V - estimate nt rt mt V)
      <= (2 + INR H + INR nS * INR H) * E / nt /\
    (2 + INR H + INR nS * INR H) * E / nt <= 2 / 3 * psi nt /\
    phi_hat n <= phi_tilde nt /\
    estimate nt rt mt V + 2 / 3 * psi nt + (INR H + 1) * phi_tilde nt >= Q_hat_plus n r m V).
Proof.
  intros n r nt rt m mt V states episodes beta_inside E_positive exact near clipped.
  assert (2 * E <= nt ->
    Rabs (estimate (INR n) r m V - estimate nt rt mt V)
      <= (2 + INR H + INR nS * INR H) * E / nt /\
    (2 + INR H + INR nS * INR H) * E / nt <= 2 / 3 * psi nt /\
    phi_hat n <= phi_tilde nt /\
    estimate nt rt mt V + 2 / 3 * psi nt + (INR H + 1) * phi_tilde nt >= Q_hat_plus n r m V)
    as sharper.
  { intro large.
    pose proof (distance n r nt rt m mt V E_positive exact near clipped large) as close.
    pose proof (two_thirds nt states E_positive large) as small.
    pose proof (roots n nt episodes beta_inside E_positive (proj1 near) large) as root.
    repeat split; try assumption.
    pose proof (Rle_abs (estimate (INR n) r m V - estimate nt rt mt V)).
    assert (0 <= (INR H + 1) * (phi_tilde nt - phi_hat n))
      by (apply Rmult_le_pos; [pose proof (pos_INR H)|]; lra).
    unfold Q_hat_plus. lra. }
  split; [|exact sharper].
  unfold Q_tilde_plus. destruct (Rle_dec (2 * E) nt) as [large | small].
  - destruct (sharper large) as [_ [_ [_ dominated]]].
    assert (0 <= psi nt).
    { pose proof (two_thirds nt states E_positive large) as small.
      assert (0 <= (2 + INR H + INR nS * INR H) * E / nt); [|lra].
      pose proof (pos_INR H). pose proof (pos_INR nS).
      assert (0 <= INR nS * INR H) by (apply Rmult_le_pos; assumption).
      apply Rlt_le, Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra. }
    apply Rle_ge, Rmin_glb; [apply Rmin_l|].
    apply Rle_trans with (1 := Rmin_r _ _). lra.
  - apply Rle_ge, Rmin_l.
Qed.

Theorem lemma_17 : forall (n : nat) (r phi mean : R) (m P V V_star : nat -> R),
  (1 <= n)%nat -> (forall s', (s' < nS)%nat -> 0 <= m s') ->
  Rabs (r / INR n - mean) < phi ->
  Rabs (total nS (fun s' => m s' / INR n * V_star s') - total nS (fun s' => P s' * V_star s'))
    < INR H * phi ->
  (forall s', (s' < nS)%nat -> V s' >= V_star s') ->
  estimate (INR n) r m V + (INR H + 1) * phi >= mean + total nS (fun s' => P s' * V_star s').
Proof.
  intros n r phi mean m P V V_star visited moves reward_near moves_near optimistic.
  assert (0 < INR n) by (apply lt_0_INR; lia).
  apply absolute in reward_near. apply absolute in moves_near.
  assert (total nS (fun s' => m s' / INR n * V_star s')
          <= total nS (fun s' => V s' * m s') / INR n) as ahead.
  { unfold Rdiv at 2. rewrite Rmult_comm, <- total_scaled. apply total_at_most.
    intros s' inside. pose proof (optimistic s' inside). pose proof (moves s' inside).
    replace (m s' / INR n * V_star s') with (/ INR n * (V_star s' * m s')) by (field; lra).
    apply Rmult_le_compat_l; [apply Rlt_le, Rinv_0_lt_compat; assumption|].
    apply Rmult_le_compat_r; lra. }
  unfold estimate. unfold Rdiv at 1. rewrite Rmult_plus_distr_r.
  fold (r / INR n). fold (total nS (fun s' => V s' * m s') / INR n). lra.
Qed.

End Tuple.

(* ---- all tuples ---- *)

Section Plan.

Variables nS nA H T : nat.               (* S, A, H, T *)
Variables beta E : R.
(* mean rewards and transition probabilities of (h, s, a), and of (h, s, a, s') *)
Variable mean : nat -> nat -> nat -> R.
Variable P : nat -> nat -> nat -> nat -> R.
(* counts before the episode, and their releases *)
Variable n : nat -> nat -> nat -> nat.
Variable r nt rt : nat -> nat -> nat -> R.
Variable m mt : nat -> nat -> nat -> nat -> R.

(* With k + 1 steps to go the step is h = H - k. *)
Definition Q_star (V : nat -> R) (h s a : nat) : R :=
  mean h s a + total nS (fun s' => P h s a s' * V s').

Fixpoint V_star (k : nat) (s : nat) : R :=
  match k with
  | O => 0
  | S k => largest nA (fun a => Q_star (V_star k) (H - k) s a)
  end.

Definition Q_plus (c : R) (V : nat -> R) (h s a : nat) : R :=
  Q_tilde_plus nS H T beta E c (nt h s a) (rt h s a) (mt h s a) V.

Fixpoint V_tilde (c : R) (k : nat) (s : nat) : R :=
  match k with
  | O => 0
  | S k => largest nA (fun a => Q_plus c (V_tilde c k) (H - k) s a)
  end.

Fixpoint V_printed (k : nat) (s : nat) : R :=
  match k with
  | O => 0
  | S k => largest nA (fun a =>
      Q_printed nS H T beta E (nt (H - k)%nat s a) (rt (H - k)%nat s a) (mt (H - k)%nat s a)
        (V_printed k))
  end.

Definition tuple (h s a : nat) : Prop := (1 <= h <= H)%nat /\ (s < nS)%nat /\ (a < nA)%nat.

Definition setting : Prop :=
  (1 <= nS)%nat /\ (1 <= nA)%nat /\ (1 <= T)%nat /\ 0 < beta < 1 /\ 0 < E /\
  forall h s a, tuple h s a ->
    0 <= mean h s a <= 1 /\
    (forall s', (s' < nS)%nat -> 0 <= P h s a s') /\ total nS (P h s a) = 1 /\
    counts nS (n h s a) (r h s a) (m h s a).

(* none of F^R, F^V, F^PN, F^PR, F^PM; at h = H - k, V*_{h+1} has k steps to go *)
Definition good_event : Prop :=
  forall h s a, tuple h s a ->
    released nS E (n h s a) (r h s a) (m h s a) (nt h s a) (rt h s a) (mt h s a) /\
    ((1 <= n h s a)%nat ->
      Rabs (r h s a / INR (n h s a) - mean h s a) < phi_hat T beta (n h s a) /\
      Rabs (total nS (fun s' => m h s a s' / INR (n h s a) * V_star (H - h) s')
            - total nS (fun s' => P h s a s' * V_star (H - h) s'))
        < INR H * phi_hat T beta (n h s a)).

Lemma V_star_bounds : setting -> forall k s,
  (k <= H)%nat -> (s < nS)%nat -> 0 <= V_star k s <= INR k.
Proof.
  intros (_ & actions & _ & _ & _ & legal). induction k as [|k bounded]; intros s steps inside.
  - simpl. lra.
  - rewrite S_INR. simpl.
    assert (forall a, (a < nA)%nat -> 0 <= Q_star (V_star k) (H - k) s a <= INR k + 1) as each.
    { intros a action.
      destruct (legal (H - k)%nat s a ltac:(unfold tuple; lia)) as (reward & likely & sure & _).
      unfold Q_star.
      assert (0 <= total nS (fun s' => P (H - k) s a s' * V_star k s')).
      { replace 0 with (total nS (fun _ => 0)) by (rewrite total_constant; ring).
        apply total_at_most. intros s' next.
        apply Rmult_le_pos; [apply likely | apply bounded]; (assumption || lia). }
      assert (total nS (fun s' => P (H - k) s a s' * V_star k s') <= INR k).
      { replace (INR k) with (INR k * total nS (P (H - k) s a)) by (rewrite sure; ring).
        rewrite <- total_scaled. apply total_at_most. intros s' next. rewrite Rmult_comm.
        apply Rmult_le_compat_r; [apply likely | apply bounded]; (assumption || lia). }
      lra. }
    split.
    + apply Rle_trans with (Q_star (V_star k) (H - k) s 0); [apply each; lia|].
      apply (largest_above nA (fun a => Q_star (V_star k) (H - k) s a)). lia.
    + apply largest_below; [assumption|]. intros a action. apply each. assumption.
Qed.

(* One step of the induction. *)
Lemma step : setting -> good_event -> forall h s a (V : nat -> R), tuple h s a ->
  (forall s', (s' < nS)%nat -> V_star (H - h) s' <= V s' <= INR H) ->
  Q_plus 1 V h s a <= INR H /\ Q_star (V_star (H - h)) h s a <= Q_plus 1 V h s a /\
  ((1 <= n h s a)%nat ->
    let Q_hat := Q_hat_plus nS H T beta (n h s a) (r h s a) (m h s a) V in
    Q_plus 1 V h s a >= Rmin (INR H) Q_hat /\ Q_hat >= Q_star (V_star (H - h)) h s a).
Proof.
  intros fits good h s a V inside ahead.
  pose proof (V_star_bounds fits) as bounded.
  destruct (good h s a inside) as [near means].
  destruct fits as (states & actions & episodes & beta_inside & E_positive & legal).
  destruct (legal h s a inside) as (reward & likely & sure & exact).
  destruct inside as (step_inside & state_inside & action_inside).
  assert (forall s', (s' < nS)%nat -> 0 <= V s' <= INR H) as clipped.
  { intros s' next. pose proof (ahead s' next). pose proof (bounded (H - h)%nat s' ltac:(lia) next).
    lra. }
  destruct (lemma_15 nS H T beta E (n h s a) (r h s a) (nt h s a) (rt h s a) (m h s a) (mt h s a) V
              states episodes beta_inside E_positive exact near clipped) as [above _].
  assert ((1 <= n h s a)%nat ->
    Q_hat_plus nS H T beta (n h s a) (r h s a) (m h s a) V >= Q_star (V_star (H - h)) h s a)
    as empirical.
  { intro visited. destruct (means visited) as [reward_near moves_near].
    apply (lemma_17 nS H (n h s a) (r h s a) (phi_hat T beta (n h s a)) (mean h s a)
             (m h s a) (P h s a) V (V_star (H - h))); try assumption.
    - intros s' next. apply exact. assumption.
    - intros s' next. apply Rle_ge, ahead. assumption. }
  assert (Q_star (V_star (H - h)) h s a <= INR H) as Q_star_bound.
  { apply Rle_trans with (V_star (S (H - h)) s).
    - simpl. replace (H - (H - h))%nat with h by lia.
      apply (largest_above nA (fun a => Q_star (V_star (H - h)) h s a)). assumption.
    - apply Rle_trans with (INR (S (H - h))); [apply bounded; (assumption || lia)|].
      apply le_INR. lia. }
  fold (Q_plus 1 V h s a) in above.
  repeat split.
  - unfold Q_plus, Q_tilde_plus. destruct (Rle_dec (2 * E) (nt h s a)); [apply Rmin_l | lra].
  - destruct (Rle_dec (2 * E) (nt h s a)) as [large | small].
    + pose proof (known E (n h s a) (nt h s a) E_positive (proj1 near) large) as visited.
      change 1 with (INR 1) in visited. apply INR_le in visited.
      apply Rge_le in above. apply Rle_trans with (2 := above).
      apply Rmin_glb; [assumption | apply Rge_le, empirical; assumption].
    + unfold Q_plus, Q_tilde_plus. destruct (Rle_dec (2 * E) (nt h s a)); [contradiction|].
      assumption.
  - assumption.
  - apply empirical. assumption.
Qed.

Theorem lemma_16 : setting -> good_event ->
  forall k s, (k <= H)%nat -> (s < nS)%nat -> V_star k s <= V_tilde 1 k s <= INR H.
Proof.
  intros fits good. induction k as [|k ahead]; intros s steps inside.
  - simpl. pose proof (pos_INR H). lra.
  - assert (forall a, (a < nA)%nat ->
      Q_plus 1 (V_tilde 1 k) (H - k) s a <= INR H /\
      Q_star (V_star k) (H - k) s a <= Q_plus 1 (V_tilde 1 k) (H - k) s a) as each.
    { intros a action.
      assert (H - (H - k) = k)%nat as to_go by lia.
      destruct (step fits good (H - k)%nat s a (V_tilde 1 k) ltac:(unfold tuple; lia))
        as (clipped & optimistic & _).
      - intros s' next. rewrite to_go. apply ahead; (assumption || lia).
      - rewrite to_go in optimistic. split; assumption. }
    assert (1 <= nA)%nat as actions by (destruct fits as (_ & actions & _); exact actions).
    simpl. split.
    + apply largest_below; [assumption|]. intros a action.
      apply Rle_trans with (Q_plus 1 (V_tilde 1 k) (H - k) s a); [apply each; assumption|].
      apply (largest_above nA (fun a => Q_plus 1 (V_tilde 1 k) (H - k) s a)). assumption.
    + apply largest_below; [assumption|]. intros a action. apply each. assumption.
Qed.

(* Q~+ >= min(H, Q^+) >= Q* where the tuple was visited, and Q~+ >= Q* at all tuples. *)
Theorem theorem_14 : setting -> good_event -> forall h s a, tuple h s a ->
  let V := V_tilde 1 (H - h) in
  let Q_hat := Q_hat_plus nS H T beta (n h s a) (r h s a) (m h s a) V in
  let Q := Q_star (V_star (H - h)) h s a in
  Q_plus 1 V h s a >= Q /\
  ((1 <= n h s a)%nat -> Q_plus 1 V h s a >= Rmin (INR H) Q_hat /\ Rmin (INR H) Q_hat >= Q).
Proof.
  intros fits good h s a inside V Q_hat Q.
  destruct (step fits good h s a V inside) as (_ & optimistic & visited).
  - intros s' next. apply lemma_16; (assumption || lia).
  - split; [apply Rle_ge; assumption|]. intro some.
    destruct (visited some) as [above empirical]. split; [assumption|].
    pose proof (V_star_bounds fits (S (H - h))) as bounded.
    destruct inside as (step_inside & state_inside & action_inside).
    apply Rle_ge, Rmin_glb; [|apply Rge_le; assumption].
    apply Rle_trans with (V_star (S (H - h)) s).
    + unfold Q. simpl. replace (H - (H - h))%nat with h by lia.
      apply (largest_above nA (fun a => Q_star (V_star (H - h)) h s a)). assumption.
    + apply Rle_trans with (INR (S (H - h))); [apply bounded; (assumption || lia)|].
      apply le_INR. lia.
Qed.

(* Where every n~ >= 2E, algorithm 3 as printed is the same algorithm. *)
Theorem algorithm_3_printed_mutant : setting -> good_event ->
  (forall h s a, 2 * E <= nt h s a) ->
  forall k s, (k <= H)%nat -> (s < nS)%nat -> V_star k s <= V_printed k s.
Proof.
  intros fits good known_tuples.
  assert (forall k s, V_printed k s = V_tilde 1 k s) as same.
  { induction k as [|k same]; intro s; [reflexivity|]. simpl. apply largest_same. intros a _.
    unfold Q_printed, Q_plus, Q_tilde_plus.
    destruct (Rle_dec (2 * E) (nt (H - k) s a)) as [_ | small];
      [|exfalso; apply small; apply known_tuples].
    f_equal. unfold estimate.
    rewrite (total_same nS (fun s' => V_printed k s' * mt (H - k) s a s')
               (fun s' => V_tilde 1 k s' * mt (H - k) s a s'))
      by (intros; rewrite same; reflexivity).
    ring. }
  intros k s steps state. rewrite same. apply lemma_16; assumption.
Qed.

End Plan.

(* ---- mutants ---- *)

(* One E/n~ less in Lemma 15. All rewards are 1, the one next state is worth H = 1, and every
   release errs by 0.9 E in the direction that hurts. *)
Theorem lemma_15_mutant :
  ~ (forall (nS H : nat) (E : R) (n : nat) (r nt rt : R) (m mt V : nat -> R),
     (1 <= nS)%nat -> 0 < E ->
     counts nS n r m -> released nS E n r m nt rt mt ->
     (forall s', (s' < nS)%nat -> 0 <= V s' <= INR H) -> 2 * E <= nt ->
     Rabs (estimate nS (INR n) r m V - estimate nS nt rt mt V)
       <= (1 + INR H + INR nS * INR H) * E / nt).
Proof.
  intro claim.
  specialize (claim 1%nat 1%nat 1 2%nat 2 (29 / 10) (11 / 10)
                (fun _ => 2) (fun _ => 11 / 10) (fun _ => 1)).
  unfold counts, released, estimate in claim. simpl in claim.
  replace (29 / 10 - (1 + 1)) with (9 / 10) in claim by field.
  replace (11 / 10 - 2) with (- (9 / 10)) in claim by field.
  rewrite Rabs_Ropp, (Rabs_pos_eq (9 / 10)) in claim by lra.
  replace ((2 + (0 + 1 * 2)) / (1 + 1) - (11 / 10 + (0 + 1 * (11 / 10))) / (29 / 10))
    with (36 / 29) in claim by field.
  rewrite Rabs_pos_eq in claim by lra.
  assert (36 / 29 <= (1 + 1 + 1 * 1) * 1 / (29 / 10)); [|lra].
  apply claim; try lra; try lia; repeat split; intros; lra.
Qed.

(* H phi^ in place of (H + 1) phi^ in Lemma 17: twenty visits of two next states. *)
Theorem lemma_17_mutant :
  ~ (forall (nS H n : nat) (r phi mean : R) (m P V V_star : nat -> R),
     (1 <= n)%nat -> (forall s', (s' < nS)%nat -> 0 <= m s') ->
     Rabs (r / INR n - mean) < phi ->
     Rabs (total nS (fun s' => m s' / INR n * V_star s')
           - total nS (fun s' => P s' * V_star s')) < INR H * phi ->
     (forall s', (s' < nS)%nat -> V s' >= V_star s') ->
     estimate nS (INR n) r m V + INR H * phi >= mean + total nS (fun s' => P s' * V_star s')).
Proof.
  intro claim.
  specialize (claim 2%nat 2%nat 20%nat (82 / 10) (1 / 10) (1 / 2)
                (fun s' => match s' with O => 7 | _ => 13 end) (fun _ => 1 / 2)
                (fun s' => match s' with O => 1 | _ => 0 end)
                (fun s' => match s' with O => 1 | _ => 0 end)).
  replace (INR 20) with 20 in claim by (simpl; ring).
  unfold estimate in claim. simpl in claim.
  assert ((82 / 10 + (0 + 1 * 7 + 0 * 13)) / 20 + (1 + 1) * (1 / 10)
            >= 1 / 2 + (0 + 1 / 2 * 1 + 1 / 2 * 0)); [|lra].
  apply claim; [lia | | apply Rabs_def1; lra | apply Rabs_def1; lra |].
  - intros s' _. destruct s'; lra.
  - intros s' _. destruct s'; lra.
Qed.

(* A quarter of psi~ in Lemma 16, with fewer visits than episodes: S = A = H = 1, T = 12.5 E, every
   reward is 1, E = 10^10, n^ = 9.1 E and n~ = 10 E, r~ = 8.2 E. Then Q~+ < 1 and V* = 1. *)
Theorem lemma_16_mutant :
  ~ (forall (nS nA H T : nat) (beta E : R) (mean : nat -> nat -> nat -> R)
            (P : nat -> nat -> nat -> nat -> R) (n : nat -> nat -> nat -> nat)
            (r nt rt : nat -> nat -> nat -> R) (m mt : nat -> nat -> nat -> nat -> R),
     (forall h s a, (n h s a < T)%nat) ->
     setting nS nA H T beta E mean P n r m ->
     good_event nS nA H T beta E mean P n r nt rt m mt ->
     forall k s, (k <= H)%nat -> (s < nS)%nat ->
       V_star nS nA H mean P k s <= V_tilde nS nA H T beta E nt rt mt (1 / 4) k s <= INR H).
Proof.
  intro claim.
  assert (exists visits : nat, INR visits = 91000000000) as [visits many].
  { exists (Z.to_nat 91000000000). rewrite INR_IZR_INZ, Z2Nat.id; [reflexivity | lia]. }
  assert (exists episodes : nat, INR episodes = 125000000000) as [T planned].
  { exists (Z.to_nat 125000000000). rewrite INR_IZR_INZ, Z2Nat.id; [reflexivity | lia]. }
  assert (visits < T)%nat as fewer by (apply INR_lt; lra).
  assert (0 < ln (INR T / (1 / 2 / 4)) <= 2000000) as small.
  { rewrite planned. replace (125000000000 / (1 / 2 / 4)) with (1000000 * 1000000) by field. split.
    - rewrite <- ln_1. apply ln_increasing; lra.
    - pose proof (exp_ineq1_le (ln 1000000)) as tangent. rewrite exp_ln in tangent by lra.
      rewrite ln_mult by lra. lra. }
  assert (0 < phi_hat T (1 / 2) visits) as positive.
  { unfold phi_hat. apply sqrt_lt_R0. rewrite many. apply Rdiv_lt_0_compat; lra. }
  specialize (claim 1%nat 1%nat 1%nat T (1 / 2) 10000000000
                (fun _ _ _ => 1) (fun _ _ _ _ => 1) (fun _ _ _ => visits)
                (fun _ _ _ => 91000000000) (fun _ _ _ => 100000000000)
                (fun _ _ _ => 82000000000)
                (fun _ _ _ _ => 91000000000) (fun _ _ _ _ => 91000000000)).
  assert (1 <= V_tilde 1 1 1 T (1 / 2) 10000000000 (fun _ _ _ => 100000000000)
                 (fun _ _ _ => 82000000000) (fun _ _ _ _ => 91000000000) (1 / 4) 1 0) as optimistic.
  { apply Rle_trans with (V_star 1 1 1 (fun _ _ _ => 1) (fun _ _ _ _ => 1) 1 0).
    - unfold V_star, Q_star. simpl. lra.
    - apply claim; try lia.
      + unfold setting, counts. rewrite many. simpl. repeat split; intros; try lia; lra.
      + unfold good_event, released. intros h s a _. rewrite many. repeat split.
        * apply Rabs_def1; lra.
        * apply Rabs_def1; lra.
        * intros s' _. apply Rabs_def1; lra.
        * replace (91000000000 / 91000000000 - 1) with 0 by field. rewrite Rabs_R0. assumption.
        * replace (total 1 (fun s' => 91000000000 / 91000000000 * V_star 1 1 1 _ _ (1 - h) s') -
                   total 1 (fun s' => 1 * V_star 1 1 1 _ _ (1 - h) s')) with 0
            by (simpl total; field).
          rewrite Rabs_R0. simpl INR. lra. }
  unfold V_tilde, largest, Q_plus, Q_tilde_plus in optimistic.
  destruct (Rle_dec (2 * 10000000000) 100000000000) as [known_tuple | unknown]; [|lra].
  assert (phi_tilde T (1 / 2) 10000000000 100000000000 <= 7 / 1000) as root.
  { unfold phi_tilde. rewrite <- (sqrt_pow2 (7 / 1000)) by lra. apply sqrt_le_1_alt.
    rewrite Rmax_left by lra. apply Rmult_le_reg_r with 90000000000; [lra|].
    replace (2 * ln (INR T / (1 / 2 / 4)) / (100000000000 - 10000000000) * 90000000000)
      with (2 * ln (INR T / (1 / 2 / 4))) by field. lra. }
  pose proof (Rmin_r (INR 1)
    (estimate 1 100000000000 82000000000 (fun _ => 91000000000) (fun _ => 0)
       + 1 / 4 * psi 1 1 10000000000 100000000000
       + (INR 1 + 1) * phi_tilde T (1 / 2) 10000000000 100000000000)) as at_most.
  unfold estimate, psi in *. simpl in *. lra.
Qed.

(* ---- as printed ---- *)

(* Lemma 15 with Q^+ not clipped at H, before the last of T = 2 episodes: one visit with reward 1
   and n~ < 2E, so that Q~+ = H = 1. *)
Theorem lemma_15_printed_refuted :
  ~ (forall (nS H T : nat) (beta E : R) (n : nat) (r nt rt : R) (m mt V : nat -> R),
     (1 <= nS)%nat -> (n < T)%nat -> 0 < beta < 1 -> 0 < E ->
     counts nS n r m -> released nS E n r m nt rt mt ->
     (forall s', (s' < nS)%nat -> 0 <= V s' <= INR H) ->
     Q_tilde_plus nS H T beta E 1 nt rt mt V >= Q_hat_plus nS H T beta n r m V).
Proof.
  intro claim.
  specialize (claim 1%nat 1%nat 2%nat (1 / 2) 1 1%nat 1 1 1 (fun _ => 1) (fun _ => 1) (fun _ => 0)
                ltac:(lia) ltac:(lia) ltac:(lra) ltac:(lra)).
  assert (counts 1 1 1 (fun _ => 1)) as exact
    by (unfold counts; simpl; repeat split; intros; lra).
  assert (released 1 1 1 1 (fun _ => 1) 1 1 (fun _ => 1)) as near.
  { unfold released. simpl. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity.
    repeat split; intros; lra. }
  specialize (claim exact near ltac:(intros; simpl; lra)).
  assert (0 < phi_hat 2 (1 / 2) 1) as positive.
  { unfold phi_hat. apply sqrt_lt_R0. simpl. replace ((1 + 1) / (1 / 2 / 4)) with 16 by field.
    assert (0 < ln 16) by (rewrite <- ln_1; apply ln_increasing; lra).
    apply Rdiv_lt_0_compat; lra. }
  unfold Q_tilde_plus in claim. destruct (Rle_dec (2 * 1) 1); [lra|].
  unfold Q_hat_plus, estimate in claim. simpl in claim.
  replace ((1 + (0 + 0 * 1)) / 1) with 1 in claim by field. lra.
Qed.

(* Algorithm 3 as printed, and Lemma 16 for it: S = A = H = 1, T = 2, one visit with reward
   1/2 = V*, E = 31, r~ = 30 and n~ = -10. Then V~ = min(1, 30/(-10) + 1) = -2. *)
Theorem algorithm_3_printed_refuted :
  ~ (forall (nS nA H T : nat) (beta E : R) (mean : nat -> nat -> nat -> R)
            (P : nat -> nat -> nat -> nat -> R) (n : nat -> nat -> nat -> nat)
            (r nt rt : nat -> nat -> nat -> R) (m mt : nat -> nat -> nat -> nat -> R),
     (forall h s a, (n h s a < T)%nat) ->
     setting nS nA H T beta E mean P n r m ->
     good_event nS nA H T beta E mean P n r nt rt m mt ->
     forall k s, (k <= H)%nat -> (s < nS)%nat ->
       V_star nS nA H mean P k s <= V_printed nS nA H T beta E nt rt mt k s).
Proof.
  intro claim.
  specialize (claim 1%nat 1%nat 1%nat 2%nat (1 / 2) 31
                (fun _ _ _ => 1 / 2) (fun _ _ _ _ => 1) (fun _ _ _ => 1%nat)
                (fun _ _ _ => 1 / 2) (fun _ _ _ => - (10)) (fun _ _ _ => 30)
                (fun _ _ _ _ => 1) (fun _ _ _ _ => 1) ltac:(intros; simpl; lia)).
  assert (0 < phi_hat 2 (1 / 2) 1) as positive.
  { unfold phi_hat. apply sqrt_lt_R0. simpl. replace ((1 + 1) / (1 / 2 / 4)) with 16 by field.
    assert (0 < ln 16) by (rewrite <- ln_1; apply ln_increasing; lra).
    apply Rdiv_lt_0_compat; lra. }
  match type of claim with ?premise -> _ => assert premise as fits end.
  { unfold setting, counts. simpl. repeat split; intros; try lia; lra. }
  match type of claim with _ -> ?premise -> _ => assert premise as good end.
  { unfold good_event, released. intros h s a _. simpl INR. repeat split.
    - apply Rabs_def1; lra.
    - apply Rabs_def1; lra.
    - intros s' _. apply Rabs_def1; lra.
    - replace (1 / 2 / 1 - 1 / 2) with 0 by field. rewrite Rabs_R0. assumption.
    - replace (total 1 (fun s' => 1 / 1 * V_star 1 1 1 _ _ (1 - h) s') -
               total 1 (fun s' => 1 * V_star 1 1 1 _ _ (1 - h) s')) with 0
        by (simpl total; field).
      rewrite Rabs_R0. lra. }
  specialize (claim fits good 1%nat 0%nat ltac:(lia) ltac:(lia)).
  unfold V_printed, V_star, Q_star, Q_printed, estimate, largest in claim.
  destruct (Rle_dec (2 * 31) (- (10))); [lra|]. simpl in claim.
  replace ((30 + (0 + 0 * 1)) / - (10) + 1) with (- (2)) in claim by field.
  pose proof (Rmin_r 1 (- (2))). lra.
Qed.

(* The axioms of all theorems of this file. *)
Definition checked :=
  (lemma_15, lemma_15_mutant, lemma_17, lemma_17_mutant, lemma_16, lemma_16_mutant, theorem_14,
   lemma_15_printed_refuted, algorithm_3_printed_refuted, algorithm_3_printed_mutant).

Print Assumptions checked.
