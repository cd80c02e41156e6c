(* vietri2020, Theorem 1 ("PUCB is epsilon-JDP"): refuted at T = 3 for natural logarithms and ties
   to the first action, with the printed noise Lap((3H/epsilon) ln T), at epsilon = 350.

   S = A = 2, H = 1, beta = 0.1, Q~+ = H where n~ < 2E. Users 2 and 3 start in state 2, and user 2
   would earn 1 with action 1. Under D user 1 starts in state 1; under D' she starts in state 2 and
   earns 1 with action 0, the first, as nothing has been released and all is tied. Event: users 2
   and 3 both play action 1. User 2's policy rests on the node {1} of the tree, user 3's on the
   node {1, 2}, whose noises are independent. Write b = 3 ln 3/epsilon, f = sqrt(2 ln(T/beta')).

   In state 2 action 0 has Q~+ < 1 only if n~ >= 2E and r~ < g(n~),
     g(n) = n - 2 n phi~(n) - 9E - 6 E^2/n.

   Under D (counts 0, 0) each node brings the event about if
     2E <= n~ < 2E + b,  r~ < -(2f - 1)(2E + b) - 12E,
   as phi~ <= f and 6 E^2/n <= 3E, and if action 1's noises are below E and above -1, which keeps
   its Q~+ at 1.

   Under D' (counts 1, 1) cover the region: for n < 1 phi~ = f and 6 E^2/n >= 6E - 1.5n, so
   r~ < -(2f - 2.5) n - 15E, slice by slice of length b; for 1 <= n < 9, n phi~(n) >= f sqrt(n), and
   n - 2 f sqrt(n) <= 1 - 2f; and n >= 9. The masses of these boxes add up to a geometric series.

   What is assumed of the probability P: it is monotone, P(A or B) <= P(A) + P(B), P(false) = 0, P
   is at most 1, and the eight noises are independent with the Laplace distribution function F, so
   that a box has the product of its sides' masses. The law of eight independent Laplace variables
   has these properties (as an outer measure, for all sets). That F is the integral of the density
   exp(-|x|/b)/(2b), from 0 at minus infinity to 1 at infinity, is proved too. *)

Require Import Reals Lra Lia Arith Bool.
Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
From Interval Require Import Specific_stdz Specific_ops Tactic.
Require Import totals.
Open Scope R_scope.

(* Interval arithmetic over the standard library's integers, which needs no axiom on machine
   numbers as the default does. *)
Module Numbers := SpecificFloat StdZRadix2.
Module Evaluation := Tactic.IntervalTactic Numbers.
Import Evaluation.

(* ---- finite sums, products and unions ---- *)

Fixpoint product (k : nat) (f : nat -> R) : R :=
  match k with
  | O => 1
  | S j => product j f * f j
  end.

Lemma geometric : forall q m, 0 < q < 1 -> total m (fun i => q ^ i) <= / (1 - q).
Proof.
  intros q m q_inside.
  assert (total m (fun i => q ^ i) = (1 - q ^ m) * / (1 - q)) as closed.
  { induction m as [|m same]; simpl; [field; lra | rewrite same; field; lra]. }
  rewrite closed. rewrite <- (Rmult_1_l (/ (1 - q))) at 2.
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|].
  pose proof (pow_lt q m (proj1 q_inside)). lra.
Qed.

(* ---- Laplace noise of scale b ---- *)

Section Laplace.

Variable b : R.
Hypothesis b_positive : 0 < b.

Definition density (x : R) : R := exp (- Rabs x / b) / (2 * b).

(* P(noise < v) *)
Definition F (v : R) : R := if Rle_dec v 0 then exp (v / b) / 2 else 1 - exp (- v / b) / 2.

Lemma F_left : forall v, v <= 0 -> F v = exp (v / b) / 2.
Proof. intros v left. unfold F. destruct (Rle_dec v 0); [reflexivity | contradiction]. Qed.

Lemma F_right : forall v, 0 <= v -> F v = 1 - exp (- v / b) / 2.
Proof.
  intros v right. unfold F. destruct (Rle_dec v 0); [|reflexivity].
  replace v with 0 by lra. replace (- 0 / b) with 0 by (field; lra).
  replace (0 / b) with 0 by (field; lra). rewrite exp_0. field.
Qed.

Lemma F_at_most : forall v, F v <= exp (v / b) / 2.
Proof.
  intros v. unfold F. destruct (Rle_dec v 0); [lra|].
  pose proof (exp_ineq1_le (v / b)). pose proof (exp_ineq1_le (- v / b)).
  replace (- v / b) with (- (v / b)) in * by (field; lra). lra.
Qed.

Lemma F_bounds : forall v, 0 <= F v <= 1.
Proof.
  intros v. unfold F. destruct (Rle_dec v 0) as [left | right].
  - pose proof (exp_pos (v / b)). assert (exp (v / b) <= 1); [|lra].
    rewrite <- exp_0. assert (v / b <= 0) as small.
    { unfold Rdiv. rewrite <- (Rmult_0_l (/ b)).
      apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat|]; assumption. }
    destruct small as [less | same]; [left; apply exp_increasing; assumption|].
    rewrite same. lra.
  - pose proof (exp_pos (- v / b)). assert (exp (- v / b) < 1); [|lra].
    rewrite <- exp_0. apply exp_increasing.
    replace (- v / b) with (- (v / b)) by (field; lra).
    assert (0 < v / b); [apply Rdiv_lt_0_compat|]; lra.
Qed.

(* F is the distribution function of the density. *)
Lemma left_integral : forall u v, u <= v <= 0 -> is_RInt density u v (F v - F u).
Proof.
  intros u v order. rewrite !F_left by lra.
  apply is_RInt_ext with (f := fun x => exp (x / b) / (2 * b)).
  - intros x bounds. rewrite Rmin_left, Rmax_right in bounds by lra.
    unfold density. rewrite Rabs_left by lra. f_equal. f_equal. field. lra.
  - apply (is_RInt_derive (fun x => exp (x / b) / 2) (fun x => exp (x / b) / (2 * b))).
    + intros x _. auto_derive; [trivial | unfold Rdiv; field; lra].
    + intros x _. apply ex_derive_continuous with (f := fun x => exp (x / b) / (2 * b)).
      auto_derive. trivial.
Qed.

Lemma right_integral : forall u v, 0 <= u <= v -> is_RInt density u v (F v - F u).
Proof.
  intros u v order. rewrite !F_right by lra.
  apply is_RInt_ext with (f := fun x => exp (- x / b) / (2 * b)).
  - intros x bounds. rewrite Rmin_left, Rmax_right in bounds by lra.
    unfold density. rewrite Rabs_pos_eq by lra. reflexivity.
  - apply (is_RInt_derive (fun x => 1 - exp (- x / b) / 2) (fun x => exp (- x / b) / (2 * b))).
    + intros x _. auto_derive; [trivial | unfold Rdiv; field; lra].
    + intros x _. apply ex_derive_continuous with (f := fun x => exp (- x / b) / (2 * b)).
      auto_derive. trivial.
Qed.

Lemma F_is_the_integral : forall u v, u <= v -> is_RInt density u v (F v - F u).
Proof.
  intros u v order. destruct (Rle_dec v 0) as [left | right]; [apply left_integral; lra|].
  destruct (Rle_dec u 0) as [across | beyond]; [|apply right_integral; lra].
  replace (F v - F u) with (plus (F 0 - F u) (F v - F 0)) by (unfold plus; simpl; ring).
  apply (is_RInt_Chasles (V := R_NormedModule) density u 0 v);
    [apply left_integral | apply right_integral]; lra.
Qed.

Lemma F_vanishes : is_lim F m_infty 0 /\ is_lim F p_infty 1.
Proof.
  split; apply is_lim_spec; intros [e e_positive]; simpl.
  - exists (Rmin 0 (b * ln e)). intros x below.
    pose proof (Rlt_le_trans _ _ _ below (Rmin_l _ _)).
    pose proof (Rlt_le_trans _ _ _ below (Rmin_r _ _)) as far.
    rewrite F_left by lra. rewrite Rminus_0_r. pose proof (exp_pos (x / b)).
    rewrite Rabs_pos_eq by lra.
    assert (exp (x / b) < e); [|lra]. rewrite <- (exp_ln e) by assumption.
    apply exp_increasing. apply Rmult_lt_reg_r with b; [assumption|].
    replace (x / b * b) with x by (field; lra). lra.
  - exists (Rmax 0 (- (b * ln e))). intros x above.
    pose proof (Rle_lt_trans _ _ _ (Rmax_l _ _) above).
    pose proof (Rle_lt_trans _ _ _ (Rmax_r _ _) above) as far.
    rewrite F_right by lra. pose proof (exp_pos (- x / b)).
    replace (1 - exp (- x / b) / 2 - 1) with (- (exp (- x / b) / 2)) by ring.
    rewrite Rabs_Ropp, Rabs_pos_eq by lra.
    assert (exp (- x / b) < e); [|lra]. rewrite <- (exp_ln e) by assumption.
    apply exp_increasing. apply Rmult_lt_reg_r with b; [assumption|].
    replace (- x / b * b) with (- x) by (field; lra). lra.
Qed.

(* An interval [u, v), where None stands for no bound, and its mass. *)
Definition side := (option R * option R)%type.

Definition within (x : R) (s : side) : Prop :=
  match fst s with None => True | Some u => u <= x end /\
  match snd s with None => True | Some v => x < v end.

Definition mass (s : side) : R :=
  match snd s with None => 1 | Some v => F v end - match fst s with None => 0 | Some u => F u end.

End Laplace.

(* ---- PUCB at S = A = 2, H = 1, T = 3 in state 2 ---- *)

Section Agent.

Variables E L : R.

Definition phi_tilde (n : R) : R := sqrt (L / Rmax (n - E) 1).
Definition psi (n : R) : R := (1 + 2 * 1) * (3 * E / n + 2 * E ^ 2 / n ^ 2).

Definition Q_plus (n r : R) : R :=
  if Rle_dec (2 * E) n then Rmin 1 (r / n + (1 + 1) * phi_tilde n + psi n) else 1.

(* ties to action 0 *)
Definition greedy (Q : nat -> R) : nat := if Rlt_dec (Q 0%nat) (Q 1%nat) then 1%nat else 0%nat.

(* A user: whether she starts in state 2, and her rewards there. *)
Record user := { in_state_2 : bool; reward : nat -> R }.

(* What she adds to the counters of state 2 and action a when she plays [act]. *)
Definition visit (u : user) (act a : nat) : R :=
  if in_state_2 u && (act =? a) then 1 else 0.

Definition earned (u : user) (act a : nat) : R :=
  if in_state_2 u && (act =? a) then reward u a else 0.

Variables user1 user2 : user.

(* Noises 0 .. 3 belong to the node {1}: visits and rewards of action 0, then of action 1;
   4 .. 7 likewise to the node {1, 2}. *)
Variable noise : nat -> R.

(* Before the first release n~ = r~ = 0. *)
Definition action1 : nat := greedy (fun _ => Q_plus 0 0).

Definition action2 : nat := greedy (fun a =>
  Q_plus (visit user1 action1 a + noise (2 * a)%nat)
         (earned user1 action1 a + noise (2 * a + 1)%nat)).

Definition action3 : nat := greedy (fun a =>
  Q_plus (visit user1 action1 a + visit user2 action2 a + noise (4 + 2 * a)%nat)
         (earned user1 action1 a + earned user2 action2 a + noise (4 + 2 * a + 1)%nat)).

(* What others than user 1 are seen to do: users 2 and 3, who start in state 2, both play 1. *)
Definition event : Prop := action2 = 1%nat /\ action3 = 1%nat.

End Agent.

Definition elsewhere : user := {| in_state_2 := false; reward := fun _ => 1 |}.   (* user 1, D *)
Definition paid : user := {| in_state_2 := true; reward := fun _ => 1 |}.   (* user 1, D'; user 2 *)

(* The event in terms of the nodes, with k = 0 under D and k = 1 under D'. *)
Lemma event_by_nodes : forall (E L : R) (noise : nat -> R) (first : user) (k : R),
  0 < E -> (first = elsewhere /\ k = 0) \/ (first = paid /\ k = 1) ->
  (event E L first paid noise <->
   Q_plus E L (k + noise 0%nat) (k + noise 1%nat) < Q_plus E L (noise 2%nat) (noise 3%nat) /\
   Q_plus E L (k + noise 4%nat) (k + noise 5%nat)
     < Q_plus E L (1 + noise 6%nat) (1 + noise 7%nat)).
Proof.
  intros E L noise first k E_positive cases.
  assert (action1 E L = 0%nat) as tie
    by (unfold action1, greedy; destruct (Rlt_dec _ _); [lra | reflexivity]).
  unfold event.
  assert (action2 E L first noise = 1%nat <->
    Q_plus E L (k + noise 0%nat) (k + noise 1%nat) < Q_plus E L (noise 2%nat) (noise 3%nat))
    as second.
  { unfold action2, greedy. rewrite tie.
    destruct cases as [[-> ->] | [-> ->]]; unfold visit, earned; simpl;
      rewrite ?Rplus_0_l; destruct (Rlt_dec _ _); split; (auto || discriminate || contradiction). }
  assert (action2 E L first noise = 1%nat -> (action3 E L first paid noise = 1%nat <->
    Q_plus E L (k + noise 4%nat) (k + noise 5%nat)
      < Q_plus E L (1 + noise 6%nat) (1 + noise 7%nat))) as third.
  { intro played. unfold action3, greedy. rewrite tie, played.
    destruct cases as [[-> ->] | [-> ->]]; unfold visit, earned; simpl;
      rewrite ?Rplus_0_l, ?Rplus_0_r; destruct (Rlt_dec _ _);
      split; (auto || discriminate || contradiction). }
  tauto.
Qed.

(* ---- the region where action 0 looks worse than 1 ---- *)

Section Region.

Variables b E L : R.
Hypothesis b_positive : 0 < b.
Hypothesis E_positive : 0 < E.
Hypothesis E_small : 2 * E < 1.
Let f : R := sqrt L.
Hypothesis f_bounds : 2 < f.

Lemma L_positive : 0 < L.
Proof.
  destruct (Rle_dec L 0) as [none | some]; [|lra].
  unfold f in f_bounds. rewrite sqrt_neg_0 in f_bounds by assumption. lra.
Qed.

Lemma at_most_1 : forall n r, Q_plus E L n r <= 1.
Proof. intros n r. unfold Q_plus. destruct (Rle_dec _ _); [apply Rmin_l | lra]. Qed.

Lemma bonus : forall n, 0 < n -> n * psi E n = 9 * E + 6 * E ^ 2 / n.
Proof. intros n n_positive. unfold psi. field. lra. Qed.

Lemma below_1 : forall n r, Q_plus E L n r < 1 ->
  2 * E <= n /\ r < n - 2 * (n * phi_tilde E L n) - 9 * E - 6 * E ^ 2 / n.
Proof.
  intros n r below. unfold Q_plus in below. destruct (Rle_dec (2 * E) n) as [large | small]; [|lra].
  split; [assumption|]. unfold Rmin in below. destruct (Rle_dec _ _) as [tied | less]; [lra|].
  assert (n * (r / n + (1 + 1) * phi_tilde E L n + psi E n) < n * 1) as scaled
    by (apply Rmult_lt_compat_l; lra).
  replace (n * (r / n + (1 + 1) * phi_tilde E L n + psi E n))
    with (r + 2 * (n * phi_tilde E L n) + n * psi E n) in scaled by (field; lra).
  rewrite bonus in scaled by lra. lra.
Qed.

Lemma worse : forall n r,
  2 * E <= n -> r < n - 2 * (n * phi_tilde E L n) - 9 * E - 6 * E ^ 2 / n -> Q_plus E L n r < 1.
Proof.
  intros n r large less. unfold Q_plus. destruct (Rle_dec (2 * E) n); [|contradiction].
  apply Rle_lt_trans with (1 := Rmin_r _ _). apply Rmult_lt_reg_l with n; [lra|].
  replace (n * (r / n + (1 + 1) * phi_tilde E L n + psi E n))
    with (r + 2 * (n * phi_tilde E L n) + n * psi E n) by (field; lra).
  rewrite bonus by lra. lra.
Qed.

Lemma phi_flat : forall n, n <= 1 + E -> phi_tilde E L n = f.
Proof.
  intros n small. unfold phi_tilde. rewrite Rmax_right by lra. unfold f. f_equal. field.
Qed.

Lemma phi_at_most : forall n, phi_tilde E L n <= f.
Proof.
  intros n. unfold phi_tilde, f. apply sqrt_le_1_alt. pose proof L_positive.
  replace L with (L / 1) at 2 by field. apply Rmult_le_compat_l; [lra|].
  apply Rinv_le_contravar; [lra | apply Rmax_r].
Qed.

(* Under D' : the slices below 1, with x the slice's left end *)
Lemma slice : forall n r x, 2 * E <= x <= n -> n < 1 -> Q_plus E L n r < 1 ->
  r < - ((2 * f - 5 / 2) * x + 15 * E).
Proof.
  intros n r x order small below. apply below_1 in below. destruct below as [large below].
  rewrite phi_flat in below by lra.
  assert (6 * E - 3 / 2 * n <= 6 * E ^ 2 / n) as tangent.
  { apply Rmult_le_reg_r with n; [lra|].
    replace (6 * E ^ 2 / n * n) with (6 * E ^ 2) by (field; lra).
    pose proof (pow2_ge_0 (n - 2 * E)). lra. }
  assert (0 <= (2 * f - 5 / 2) * (n - x)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma middle : forall n r, 1 <= n < 9 -> Q_plus E L n r < 1 -> r < 1 - 2 * f.
Proof.
  intros n r bounds below. apply below_1 in below. destruct below as [large below].
  pose proof L_positive.
  set (u := sqrt n).
  assert (n = u * u) as n_is by (unfold u; rewrite sqrt_sqrt; lra).
  assert (1 <= u) as u_large by (unfold u; rewrite <- sqrt_1; apply sqrt_le_1_alt; lra).
  assert (u <= 3) as u_small.
  { unfold u. rewrite <- (sqrt_pow2 3) by lra. apply sqrt_le_1_alt. lra. }
  assert (f * u <= n * phi_tilde E L n) as root.
  { apply Rle_trans with (n * sqrt (L / n)).
    - rewrite sqrt_div_alt by lra. fold f. fold u. rewrite n_is at 1. right. field. lra.
    - apply Rmult_le_compat_l; [lra|]. unfold phi_tilde. apply sqrt_le_1_alt.
      apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar.
      + apply Rlt_le_trans with (2 := Rmax_r _ _). lra.
      + apply Rmax_lub; lra. }
  assert (0 < 6 * E ^ 2 / n)
    by (apply Rdiv_lt_0_compat; [pose proof (pow_lt E 2 E_positive)|]; lra).
  assert (0 <= (u - 1) * (2 * f - 1 - u)) by (apply Rmult_le_pos; lra). lra.
Qed.

(* Under D : a box on which action 0 looks worse *)
Definition depth : R := (2 * f - 1) * (2 * E + b) + 12 * E.

Lemma box_below : forall n r, 2 * E <= n < 2 * E + b -> r < - depth -> Q_plus E L n r < 1.
Proof.
  intros n r bounds deep. apply worse; [lra|]. unfold depth in deep.
  assert (6 * E ^ 2 / n <= 3 * E) as small.
  { apply Rmult_le_reg_r with n; [lra|].
    replace (6 * E ^ 2 / n * n) with (6 * E ^ 2) by (field; lra).
    assert (0 <= 3 * E * (n - 2 * E)) by (apply Rmult_le_pos; lra). lra. }
  assert (n * phi_tilde E L n <= n * f) as root
    by (apply Rmult_le_compat_l; [lra | apply phi_at_most]).
  assert (0 <= (2 * f - 1) * (2 * E + b - n)) by (apply Rmult_le_pos; lra). lra.
Qed.

(* Action 1 keeps Q~+ = 1 while its noises are below E and above -1. *)
Lemma tied : forall k x y, (k = 0 \/ k = 1) -> x < E -> - (1) <= y ->
  Q_plus E L (k + x) (k + y) = 1.
Proof.
  intros k x y cases small above. unfold Q_plus.
  destruct (Rle_dec (2 * E) (k + x)) as [large | unknown]; [|reflexivity].
  destruct cases as [-> | ->]; [lra|]. apply Rmin_left.
  rewrite phi_flat by lra.
  assert (0 <= (1 + y) / (1 + x)).
  { apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]. }
  assert (0 <= psi E (1 + x)); [|lra].
  unfold psi. assert (0 < 3 * E / (1 + x)) by (apply Rdiv_lt_0_compat; lra).
  assert (0 < 2 * E ^ 2 / (1 + x) ^ 2).
  { apply Rdiv_lt_0_compat; [pose proof (pow_lt E 2 E_positive) | apply pow_lt]; lra. }
  lra.
Qed.

(* ---- probabilities ---- *)

Variable Omega : Type.
Variable P : (Omega -> Prop) -> R.
Variable noise : Omega -> nat -> R.

Definition probability : Prop :=
  (forall A B : Omega -> Prop, (forall o, A o -> B o) -> P A <= P B) /\
  (forall A B : Omega -> Prop, P (fun o => A o \/ B o) <= P A + P B) /\
  P (fun _ => False) = 0 /\ (forall A, P A <= 1) /\
  (forall box : nat -> side, (forall i, (i < 8)%nat -> 0 <= mass b (box i)) ->
    P (fun o => forall i, (i < 8)%nat -> within (noise o i) (box i))
    = product 8 (fun i => mass b (box i))).

Hypothesis P_probability : probability.

Lemma union : forall M (A : nat -> Omega -> Prop),
  P (fun o => exists j, (j < M)%nat /\ A j o) <= total M (fun j => P (A j)).
Proof.
  destruct P_probability as (monotone & added & nothing & _).
  induction M as [|M below]; intro A.
  - simpl. rewrite <- nothing. apply monotone. intros o [j [inside _]]. lia.
  - simpl. apply Rle_trans with (P (fun o => (exists j, (j < M)%nat /\ A j o) \/ A M o)).
    + apply monotone. intros o [j [inside holds]].
      destruct (Nat.eq_dec j M) as [-> | other]; [right; assumption|].
      left. exists j. split; [lia | assumption].
    + pose proof (added (fun o => exists j, (j < M)%nat /\ A j o) (A M)).
      pose proof (below A). lra.
Qed.

(* The box of one node for counts k, k. *)
Definition low_box (k : R) (i : nat) : side :=
  match i with
  | 0%nat | 4%nat => (Some (2 * E - k), Some (2 * E + b - k))
  | 1%nat | 5%nat => (None, Some (- depth - k))
  | 2%nat | 6%nat => (None, Some E)
  | _ => (Some (- (1)), None)
  end.

Definition low_mass (k : R) : R :=
  (F b (2 * E + b - k) - F b (2 * E - k)) * F b (- depth - k) * F b E * (1 - F b (- (1))).

Lemma at_least : forall first k, (first = elsewhere /\ k = 0) \/ (first = paid /\ k = 1) ->
  F b (2 * E - k) <= F b (2 * E + b - k) ->
  low_mass k ^ 2 <= P (fun o => event E L first paid (noise o)).
Proof.
  intros first k cases order. destruct P_probability as (monotone & _ & _ & _ & boxes).
  assert (forall i, (i < 8)%nat -> 0 <= mass b (low_box k i)) as legal.
  { pose proof (F_bounds b b_positive (- depth - k)). pose proof (F_bounds b b_positive E).
    pose proof (F_bounds b b_positive (- (1))).
    intros i inside. do 8 (destruct i as [|i]; [unfold mass; simpl; lra|]). lia. }
  replace (low_mass k ^ 2) with (product 8 (fun i => mass b (low_box k i)))
    by (unfold low_mass, mass; simpl; ring).
  rewrite <- boxes by assumption. apply monotone. intros o inside.
  apply (event_by_nodes E L (noise o) first k E_positive cases).
  pose proof (inside 0%nat ltac:(lia)) as i0. pose proof (inside 1%nat ltac:(lia)) as i1.
  pose proof (inside 2%nat ltac:(lia)) as i2. pose proof (inside 3%nat ltac:(lia)) as i3.
  pose proof (inside 4%nat ltac:(lia)) as i4. pose proof (inside 5%nat ltac:(lia)) as i5.
  pose proof (inside 6%nat ltac:(lia)) as i6. pose proof (inside 7%nat ltac:(lia)) as i7.
  unfold within in *. simpl in *.
  split.
  - pose proof (tied 0 (noise o 2%nat) (noise o 3%nat) ltac:(lra) ltac:(lra) ltac:(lra)) as one.
    rewrite !Rplus_0_l in one. rewrite one. apply box_below; lra.
  - rewrite (tied 1) by lra. apply box_below; lra.
Qed.

(* The cover of one node for counts 1, 1: m slices of length b from 2E, then two boxes. *)
Definition corner (j : nat) : R := 2 * E + INR j * b.

Definition cover (m j : nat) : side * side :=
  if j <? m
  then ((None, Some (corner (S j) - 1)),
        (None, Some (- ((2 * f - 5 / 2) * corner j + 15 * E) - 1)))
  else if j =? m then ((Some 0, None), (None, Some (- (2 * f))))
  else ((Some 8, None), (None, None)).

Lemma covered : forall m x y, 1 <= corner m -> Q_plus E L (1 + x) (1 + y) < 1 ->
  exists j, (j < S (S m))%nat /\ within x (fst (cover m j)) /\ within y (snd (cover m j)).
Proof.
  intros m x y reaches below. pose proof (proj1 (below_1 _ _ below)) as large.
  destruct (Rlt_dec (1 + x) 1) as [low | high].
  - assert (forall i, 1 + x < corner i ->
      exists j, (j < i)%nat /\ corner j <= 1 + x < corner (S j)) as found.
    { induction i as [|i before]; intro under.
      - unfold corner in under. simpl in under. lra.
      - destruct (Rlt_dec (1 + x) (corner i)) as [earlier | here].
        + destruct (before earlier) as [j [inside bounds]]. exists j. split; [lia | assumption].
        + exists i. split; [lia | lra]. }
    destruct (found m ltac:(lra)) as [j [inside bounds]]. exists j. split; [lia|].
    unfold cover. destruct (Nat.ltb_spec j m); [|lia].
    assert (2 * E <= corner j).
    { unfold corner. pose proof (Rmult_le_pos (INR j) b (pos_INR j) ltac:(lra)). lra. }
    pose proof (slice (1 + x) (1 + y) (corner j) ltac:(lra) low below).
    unfold within. simpl. repeat split; lra.
  - destruct (Rlt_dec (1 + x) 9) as [near | far].
    + exists m. split; [lia|]. unfold cover. rewrite Nat.ltb_irrefl, Nat.eqb_refl.
      pose proof (middle (1 + x) (1 + y) ltac:(lra) below).
      unfold within. simpl. repeat split; lra.
    + exists (S m). split; [lia|]. unfold cover.
      destruct (Nat.ltb_spec (S m) m); [lia|]. destruct (Nat.eqb_spec (S m) m); [lia|].
      unfold within. simpl. repeat split; lra.
Qed.

Definition cover_mass (m j : nat) : R := mass b (fst (cover m j)) * mass b (snd (cover m j)).

Definition both (m j k i : nat) : side :=
  match i with
  | 0%nat => fst (cover m j)
  | 1%nat => snd (cover m j)
  | 4%nat => fst (cover m k)
  | 5%nat => snd (cover m k)
  | _ => (None, None)
  end.

Lemma cover_legal : forall m j, 0 <= mass b (fst (cover m j)) /\ 0 <= mass b (snd (cover m j)).
Proof.
  intros m j. unfold cover.
  destruct (j <? m); [|destruct (j =? m)]; unfold mass; simpl.
  - pose proof (F_bounds b b_positive (corner (S j) - 1)).
    pose proof (F_bounds b b_positive (- ((2 * f - 5 / 2) * corner j + 15 * E) - 1)). lra.
  - pose proof (F_bounds b b_positive 0). pose proof (F_bounds b b_positive (- (2 * f))). lra.
  - pose proof (F_bounds b b_positive 8). lra.
Qed.

Lemma at_most : forall m, 1 <= corner m ->
  P (fun o => event E L paid paid (noise o)) <= total (S (S m)) (cover_mass m) ^ 2.
Proof.
  intros m reaches. pose proof P_probability as (monotone & _ & _ & _ & boxes).
  set (hit := fun j k o => forall i, (i < 8)%nat -> within (noise o i) (both m j k i)).
  apply Rle_trans with (P (fun o => exists j, (j < S (S m))%nat /\
                                    exists k, (k < S (S m))%nat /\ hit j k o)).
  - apply monotone. intros o happens.
    apply (event_by_nodes E L (noise o) paid 1 E_positive ltac:(right; split; reflexivity))
      in happens.
    destruct happens as [first second].
    pose proof (at_most_1 (noise o 2%nat) (noise o 3%nat)).
    pose proof (at_most_1 (1 + noise o 6%nat) (1 + noise o 7%nat)).
    destruct (covered m (noise o 0%nat) (noise o 1%nat) reaches ltac:(lra)) as (j & j_in & x1 & y1).
    destruct (covered m (noise o 4%nat) (noise o 5%nat) reaches ltac:(lra)) as (k & k_in & x2 & y2).
    exists j. split; [assumption|]. exists k. split; [assumption|].
    intros i inside.
    do 8 (destruct i as [|i]; [simpl; (assumption || (unfold within; simpl; tauto))|]). lia.
  - apply Rle_trans with (1 := union (S (S m))
      (fun j o => exists k, (k < S (S m))%nat /\ hit j k o)).
    set (K := total (S (S m)) (cover_mass m)).
    replace (K ^ 2) with (total (S (S m)) (fun j => K * cover_mass m j))
      by (rewrite total_scaled; fold K; ring).
    apply total_at_most. intros j _.
    apply Rle_trans with (1 := union (S (S m)) (fun k o => hit j k o)).
    rewrite Rmult_comm. unfold K. rewrite <- total_scaled. right. apply total_same. intros k _.
    unfold hit. rewrite boxes.
    + simpl. unfold cover_mass, mass. simpl. ring.
    + intros i inside. pose proof (cover_legal m j). pose proof (cover_legal m k).
      do 8 (destruct i as [|i]; [simpl; (tauto || (unfold mass; simpl; lra))|]). lia.
Qed.

(* The geometric series *)
Definition high_mass : R :=
  exp ((b - 2 - 15 * E - (2 * f - 7 / 2) * (2 * E)) / b) / 4 / (1 - exp (- (2 * f - 7 / 2)))
  + exp (- (2 * f) / b) / 4 + exp (- (8) / b) / 2.

Lemma cover_small : forall m, total (S (S m)) (cover_mass m) <= high_mass.
Proof.
  intros m.
  set (start := exp ((b - 2 - 15 * E - (2 * f - 7 / 2) * (2 * E)) / b) / 4).
  set (q := exp (- (2 * f - 7 / 2))).
  assert (0 < q < 1) as q_inside.
  { unfold q. split; [apply exp_pos|].
    apply Rlt_le_trans with (exp 0); [apply exp_increasing; lra | rewrite exp_0; lra]. }
  assert (forall j, exp ((corner (S j) - 1) / b) / 2
      * (exp ((- ((2 * f - 5 / 2) * corner j + 15 * E) - 1) / b) / 2) = start * q ^ j) as term.
  { intro j. unfold start.
    replace (q ^ j) with (exp (- (2 * f - 7 / 2) * INR j)).
    2: { unfold q. induction j as [|j same].
         - simpl. rewrite Rmult_0_r, exp_0. reflexivity.
         - rewrite S_INR. simpl pow. rewrite <- same, <- exp_plus. f_equal. ring. }
    replace (exp ((corner (S j) - 1) / b) / 2
        * (exp ((- ((2 * f - 5 / 2) * corner j + 15 * E) - 1) / b) / 2))
      with (exp ((corner (S j) - 1) / b)
        * exp ((- ((2 * f - 5 / 2) * corner j + 15 * E) - 1) / b) / 4) by field.
    replace (exp ((b - 2 - 15 * E - (2 * f - 7 / 2) * (2 * E)) / b) / 4
        * exp (- (2 * f - 7 / 2) * INR j))
      with (exp ((b - 2 - 15 * E - (2 * f - 7 / 2) * (2 * E)) / b)
        * exp (- (2 * f - 7 / 2) * INR j) / 4) by field.
    rewrite <- !exp_plus. f_equal. f_equal. unfold corner. rewrite S_INR. field. lra. }
  assert (total m (cover_mass m) <= start * / (1 - q)) as slices.
  { apply Rle_trans with (total m (fun j => start * q ^ j)).
    - apply total_at_most. intros j inside. unfold cover_mass, cover.
      destruct (Nat.ltb_spec j m); [|lia]. unfold mass. simpl. rewrite <- term.
      rewrite !Rminus_0_r.
      apply Rmult_le_compat; try apply F_bounds; try apply F_at_most; assumption.
    - rewrite total_scaled. apply Rmult_le_compat_l.
      + unfold start. pose proof (exp_pos ((b - 2 - 15 * E - (2 * f - 7 / 2) * (2 * E)) / b)). lra.
      + apply geometric. assumption. }
  assert (cover_mass m m = exp (- (2 * f) / b) / 4) as box1.
  { unfold cover_mass, cover. rewrite Nat.ltb_irrefl, Nat.eqb_refl. unfold mass. simpl.
    rewrite (F_left b 0), (F_left b (- (2 * f))) by lra.
    replace (0 / b) with 0 by (field; lra). rewrite exp_0. field. }
  assert (cover_mass m (S m) = exp (- (8) / b) / 2) as box2.
  { unfold cover_mass, cover.
    destruct (Nat.ltb_spec (S m) m); [lia|]. destruct (Nat.eqb_spec (S m) m); [lia|].
    unfold mass. simpl. rewrite (F_right b b_positive 8) by lra. field. }
  change (total (S (S m)) (cover_mass m))
    with (total m (cover_mass m) + cover_mass m m + cover_mass m (S m)).
  rewrite box1, box2. unfold high_mass. fold start. fold q.
  replace (start / (1 - q)) with (start * / (1 - q)) by reflexivity. lra.
Qed.

Lemma apart : forall c : R, 0 <= low_mass 0 -> exp (c / 2) * high_mass < low_mass 0 ->
  F b (2 * E) <= F b (2 * E + b) ->
  exp c * P (fun o => event E L paid paid (noise o))
    < P (fun o => event E L elsewhere paid (noise o)).
Proof.
  intros c positive larger order.
  assert (0 < 1 / b) as some by (apply Rdiv_lt_0_compat; lra).
  destruct (nfloor_ex (1 / b) ltac:(lra)) as [whole [_ far]]. set (m := S whole).
  assert (1 <= corner m) as reaches.
  { unfold corner, m. rewrite S_INR.
    assert (1 / b * b < (INR whole + 1) * b) as steps by (apply Rmult_lt_compat_r; assumption).
    replace (1 / b * b) with 1 in steps by (field; lra). lra. }
  pose proof (at_most m reaches) as above. pose proof (cover_small m) as small.
  pose proof (at_least elsewhere 0 ltac:(left; split; reflexivity)) as below.
  rewrite !Rminus_0_r in below. specialize (below order).
  assert (0 <= total (S (S m)) (cover_mass m)) as not_negative.
  { apply Rle_trans with (total (S (S m)) (fun _ => 0)).
    - right. clear. induction (S (S m)) as [|j zero]; simpl; [reflexivity | rewrite <- zero; ring].
    - apply total_at_most. intros j _. unfold cover_mass. pose proof (cover_legal m j).
      apply Rmult_le_pos; tauto. }
  apply Rlt_le_trans with (2 := below).
  apply Rle_lt_trans with ((exp (c / 2) * high_mass) ^ 2).
  - replace ((exp (c / 2) * high_mass) ^ 2)
      with (exp (c / 2) * exp (c / 2) * high_mass ^ 2) by ring.
    rewrite <- exp_plus. replace (c / 2 + c / 2) with c by field.
    apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|].
    apply Rle_trans with (1 := above). apply pow_incr. lra.
  - pose proof (exp_pos (c / 2)).
    assert (0 <= exp (c / 2) * high_mass) by (apply Rmult_le_pos; lra).
    simpl. rewrite !Rmult_1_r. apply Rmult_le_0_lt_compat; assumption.
Qed.

End Region.

(* ---- the instance: T = 3, epsilon = 350, beta = 0.1 ---- *)

Definition epsilon : R := 350.
Definition beta : R := 1 / 10.
Definition scale : R := 3 * 1 / epsilon * ln 3.                          (* (3H/epsilon) ln T *)
Definition width : R := 3 / epsilon * 1 * ln (16 / (beta / 4)) * Rpower (ln 3) (5 / 2).  (* E *)
Definition logarithm : R := 2 * ln (3 / (beta / 4)).                     (* 2 ln(T/beta') *)

Lemma scale_bounds : 94 / 10000 < scale < 95 / 10000.
Proof. unfold scale, epsilon. split; interval with (i_prec 40). Qed.

Lemma width_bounds : 700 / 10000 < width < 701 / 10000.
Proof. unfold width, epsilon, beta, Rpower. split; interval with (i_prec 40). Qed.

Lemma root_bounds : 309 / 100 < sqrt logarithm < 310 / 100.
Proof. unfold logarithm, beta. split; interval with (i_prec 40). Qed.

Lemma F_increases : forall b u v : R, 0 < b -> u <= v -> F b u <= F b v.
Proof.
  intros b u v b_positive order.
  assert (forall x y, x <= y -> exp (x / b) <= exp (y / b)) as grows.
  { intros x y [less | same]; [|rewrite same; lra]. left. apply exp_increasing.
    apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat|]; assumption. }
  unfold F. destruct (Rle_dec u 0) as [left | right], (Rle_dec v 0) as [left' | right']; try lra.
  - pose proof (grows u v order). lra.
  - pose proof (grows u 0 left). pose proof (grows (- v) 0 ltac:(lra)).
    replace (0 / b) with 0 in * by (field; lra). rewrite exp_0 in *. lra.
  - pose proof (grows (- v) (- u) ltac:(lra)). lra.
Qed.

(* The two nodes' masses at the instance, evaluated; the kernel checks e^175 high < low. *)
Lemma evaluated : exp (350 / 2) * high_mass scale width logarithm
                    < low_mass scale width logarithm 0.
Proof.
  pose proof scale_bounds. pose proof width_bounds. pose proof root_bounds.
  unfold low_mass. rewrite !Rminus_0_r.
  assert (0 < depth scale width logarithm) as deep.
  { unfold depth.
    assert (0 < (2 * sqrt logarithm - 1) * (2 * width + scale)) by (apply Rmult_lt_0_compat; lra).
    lra. }
  rewrite (F_right scale ltac:(lra) (2 * width + scale)) by lra.
  rewrite (F_right scale ltac:(lra) (2 * width)) by lra.
  rewrite (F_left scale (- depth scale width logarithm)) by lra.
  rewrite (F_right scale ltac:(lra) width) by lra.
  rewrite (F_left scale (- (1))) by lra.
  unfold high_mass, depth, scale, width, logarithm, epsilon, beta, Rpower.
  interval with (i_prec 80).
Qed.

(* And e^(2.2 epsilon) times the least mass under D' exceeds 1. *)
Lemma evaluated_mutant : 1 < exp (22 / 10 * 350) * low_mass scale width logarithm 1 ^ 2.
Proof.
  pose proof scale_bounds. pose proof width_bounds. pose proof root_bounds.
  unfold low_mass.
  assert (0 < depth scale width logarithm) as deep.
  { unfold depth.
    assert (0 < (2 * sqrt logarithm - 1) * (2 * width + scale)) by (apply Rmult_lt_0_compat; lra).
    lra. }
  rewrite (F_left scale (2 * width + scale - 1)) by lra.
  rewrite (F_left scale (2 * width - 1)) by lra.
  rewrite (F_left scale (- depth scale width logarithm - 1)) by lra.
  rewrite (F_right scale ltac:(lra) width) by lra.
  rewrite (F_left scale (- (1))) by lra.
  unfold depth, scale, width, logarithm, epsilon, beta, Rpower.
  interval with (i_prec 80).
Qed.

(* PUCB with the printed noise leaks more than epsilon at T = 3. *)
Theorem theorem_1_refuted : forall (Omega : Type) (P : (Omega -> Prop) -> R)
    (noise : Omega -> nat -> R),
  probability scale Omega P noise ->
  P (fun o => event width logarithm elsewhere paid (noise o))
    > exp epsilon * P (fun o => event width logarithm paid paid (noise o)).
Proof.
  intros Omega P noise laplace.
  pose proof scale_bounds. pose proof width_bounds. pose proof root_bounds.
  pose proof evaluated as larger.
  apply (apart scale width logarithm ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) Omega P noise
           laplace epsilon); [|exact larger | apply F_increases; lra].
  apply Rlt_le, Rle_lt_trans with (2 := larger). apply Rmult_le_pos; [apply Rlt_le, exp_pos|].
  unfold high_mass.
  assert (exp (- (2 * sqrt logarithm - 7 / 2)) < 1) as ratio.
  { apply Rlt_le_trans with (exp 0); [apply exp_increasing; lra | rewrite exp_0; lra]. }
  pose proof (exp_pos (- (2 * sqrt logarithm) / scale)). pose proof (exp_pos (- (8) / scale)).
  set (top := exp _ / 4).
  assert (0 < top) by (unfold top; match goal with |- 0 < exp ?e / 4 => pose proof (exp_pos e) end;
                       lra).
  assert (0 < top / (1 - exp (- (2 * sqrt logarithm - 7 / 2)))); [|lra].
  apply Rdiv_lt_0_compat; lra.
Qed.

(* The mutant: e^(2.2 epsilon) in place of e^epsilon. P(event | D) <= 1 is too small for it. *)
Theorem theorem_1_mutant : forall (Omega : Type) (P : (Omega -> Prop) -> R)
    (noise : Omega -> nat -> R),
  probability scale Omega P noise ->
  ~ (P (fun o => event width logarithm elsewhere paid (noise o))
     > exp (22 / 10 * epsilon) * P (fun o => event width logarithm paid paid (noise o))).
Proof.
  intros Omega P noise laplace claim.
  pose proof scale_bounds. pose proof width_bounds. pose proof root_bounds.
  pose proof evaluated_mutant as larger.
  pose proof (at_least scale width logarithm ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)
                Omega P noise laplace paid 1 ltac:(right; split; reflexivity)
                ltac:(apply F_increases; lra)) as below.
  assert (P (fun o => event width logarithm elsewhere paid (noise o)) <= 1) as certain
    by apply laplace.
  unfold epsilon in claim.
  assert (exp (22 / 10 * 350) * low_mass scale width logarithm 1 ^ 2
          <= exp (22 / 10 * 350) * P (fun o => event width logarithm paid paid (noise o)))
    by (apply Rmult_le_compat_l; [apply Rlt_le, exp_pos | assumption]).
  lra.
Qed.

(* The axioms of all theorems of this file. *)
Definition checked := (theorem_1_refuted, theorem_1_mutant).

Print Assumptions checked.
