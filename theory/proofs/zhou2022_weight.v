(* zhou2022, Theorem 6.4 (and liao2021, Algorithm 1): how far one user who is replaced moves the
   counters, in units of the printed sensitivities, for every H and all dimensions d_1, d_2.

   A pair of counters adds up a a' and a v for a feature a and a value v. If another user adds
   b b' and b w, with |a|, |b| <= c and v, w in [0, c], the squared change of the pair is

     |a a' - b b'|^2 + |a v - b w|^2
        = |a|^4 + |b|^4 - 2 (a.b)^2 + |a|^2 v^2 + |b|^2 w^2 - 2 (a.b) v w,

   and 4.5 c^4 minus that is
     (c^4 - |a|^4) + (c^4 - |b|^4) + (c^4 - |a|^2 v^2) + (c^4 - |b|^2 w^2) + (c^4 - v^2 w^2)/2
        + 2 (a.b + v w/2)^2  >=  0.

   Step h has the pair of the transitions, where c = (H - h)/H as V_{h+1} is cut to [0, H - h],
   and the pair of the rewards, where c = 1. So w <= 4.5 sum_h (((H - h)/H)^4 + 1), and as
   sum_{j < H} j^4 <= H^5/5, w <= 5.4 H. Features at 120 degrees attain 4.5. *)

Require Import Reals Lra Lia.
Require Import totals.
Open Scope R_scope.

Lemma total_combined : forall k x y z f g e,
  total k (fun i => x * f i + y * g i + z * e i)
  = x * total k f + y * total k g + z * total k e.
Proof. induction k as [|k same]; intros; simpl; [ring | rewrite same; ring]. Qed.

Lemma total_from_first : forall k f, total (S k) f = f O + total k (fun i => f (S i)).
Proof.
  induction k as [|k same]; intros f; [simpl; ring|].
  change (total (S (S k)) f) with (total (S k) f + f (S k)). rewrite same. simpl. ring.
Qed.

Lemma square_not_negative : forall x, 0 <= x ^ 2.
Proof. intros. apply pow2_ge_0. Qed.

(* ---- one pair of counters ---- *)

Definition vector := nat -> R.

Definition dot (d : nat) (a b : vector) : R := total d (fun i => a i * b i).

(* |a a' - b b'|_F^2 + |a v - b w|^2 in dimension d *)
Definition pair (d : nat) (a b : vector) (v w : R) : R :=
  total d (fun i => total d (fun j => (a i * a j - b i * b j) ^ 2))
  + total d (fun i => (a i * v - b i * w) ^ 2).

Lemma pair_expanded : forall d a b v w,
  pair d a b v w
  = (dot d a a) ^ 2 + (dot d b b) ^ 2 - 2 * (dot d a b) ^ 2
    + dot d a a * v ^ 2 + dot d b b * w ^ 2 - 2 * dot d a b * (v * w).
Proof.
  intros d a b v w. unfold pair.
  rewrite (total_same d (fun i => total d (fun j => (a i * a j - b i * b j) ^ 2))
    (fun i => dot d a a * (a i * a i) + dot d b b * (b i * b i)
              + - (2) * dot d a b * (a i * b i))).
  2: { intros i _. unfold dot.
       rewrite (total_same d (fun j => (a i * a j - b i * b j) ^ 2)
         (fun j => a i ^ 2 * (a j * a j) + b i ^ 2 * (b j * b j)
                   + - (2) * (a i * b i) * (a j * b j))) by (intros; ring).
       rewrite total_combined. ring. }
  rewrite total_combined.
  rewrite (total_same d (fun i => (a i * v - b i * w) ^ 2)
    (fun i => v ^ 2 * (a i * a i) + w ^ 2 * (b i * b i) + - (2) * (v * w) * (a i * b i)))
    by (intros; ring).
  rewrite total_combined. unfold dot. ring.
Qed.

Lemma below_fourth_power : forall c x y,
  0 <= c -> 0 <= x <= c ^ 2 -> 0 <= y <= c ^ 2 -> x * y <= c ^ 4.
Proof.
  intros c x y c_positive x_bounds y_bounds.
  replace (c ^ 4) with (c ^ 2 * c ^ 2) by ring. apply Rmult_le_compat; lra.
Qed.

Lemma below_square : forall c v, 0 <= v <= c -> 0 <= v ^ 2 <= c ^ 2.
Proof. intros c v bounds. split; [apply square_not_negative | apply pow_incr; assumption]. Qed.

Lemma dot_not_negative : forall d a, 0 <= dot d a a.
Proof.
  intros d a. replace 0 with (total d (fun _ => 0)) by (rewrite total_constant; ring).
  apply total_at_most. intros i _. pose proof (square_not_negative (a i)). lra.
Qed.

(* |a|, |b| <= c are written with squares. *)
Theorem pair_at_most : forall (d : nat) (a b : vector) (v w c : R),
  0 <= c -> dot d a a <= c ^ 2 -> dot d b b <= c ^ 2 -> 0 <= v <= c -> 0 <= w <= c ->
  pair d a b v w <= 9 / 2 * c ^ 4.
Proof.
  intros d a b v w c c_positive a_short b_short v_bounds w_bounds. rewrite pair_expanded.
  pose proof (dot_not_negative d a) as a_positive. pose proof (dot_not_negative d b) as b_positive.
  pose proof (below_square c v v_bounds) as v_squared.
  pose proof (below_square c w w_bounds) as w_squared.
  pose proof (below_fourth_power c _ _ c_positive (conj a_positive a_short)
                (conj a_positive a_short)).
  pose proof (below_fourth_power c _ _ c_positive (conj b_positive b_short)
                (conj b_positive b_short)).
  pose proof (below_fourth_power c _ _ c_positive (conj a_positive a_short) v_squared).
  pose proof (below_fourth_power c _ _ c_positive (conj b_positive b_short) w_squared).
  pose proof (below_fourth_power c _ _ c_positive v_squared w_squared).
  pose proof (square_not_negative (dot d a b + v * w / 2)).
  set (x := dot d a a) in *. set (y := dot d b b) in *. set (z := dot d a b) in *.
  replace (x ^ 2 + y ^ 2 - 2 * z ^ 2 + x * v ^ 2 + y * w ^ 2 - 2 * z * (v * w))
    with (9 / 2 * c ^ 4 - (c ^ 4 - x * x) - (c ^ 4 - y * y) - (c ^ 4 - x * v ^ 2)
          - (c ^ 4 - y * w ^ 2) - (c ^ 4 - v ^ 2 * w ^ 2) / 2 - 2 * (z + v * w / 2) ^ 2)
    by field.
  lra.
Qed.

(* ---- all steps ---- *)

Lemma fourth_powers : forall H : nat,
  5 * total H (fun i => (INR H - INR (S i)) ^ 4) <= INR H ^ 5.
Proof.
  induction H as [|H below]; [simpl; lra|].
  rewrite total_from_first.
  rewrite (total_same H (fun i => (INR (S H) - INR (S (S i))) ^ 4)
    (fun i => (INR H - INR (S i)) ^ 4)) by (intros; rewrite !S_INR; f_equal; ring).
  rewrite S_INR. pose proof (pos_INR H) as x_positive. set (x := INR H) in *.
  replace ((x + 1) ^ 5) with (x ^ 5 + 5 * x ^ 4 + (10 * x ^ 3 + 10 * x ^ 2 + 5 * x + 1)) by ring.
  pose proof (pow_le x 3 x_positive). pose proof (pow_le x 2 x_positive).
  replace (INR 1) with 1 by reflexivity. replace (x + 1 - 1) with x by ring. lra.
Qed.

(* Steps h = 1, .., H are h = S i, i < H. At each: phi and psi, the features of the transitions
   and of the rewards, with V_{h+1} and the reward r, all in units of the printed sensitivities;
   primed, those of the user who takes the place. *)
Theorem weight_of_a_user : forall (d1 d2 H : nat) (phi phi' psi psi' : nat -> vector)
    (V V' r r' : nat -> R),
  (1 <= H)%nat ->
  (forall h, (1 <= h <= H)%nat ->
    let c := (INR H - INR h) / INR H in
    dot d1 (phi h) (phi h) <= c ^ 2 /\ dot d1 (phi' h) (phi' h) <= c ^ 2 /\
    0 <= V h <= c /\ 0 <= V' h <= c /\
    dot d2 (psi h) (psi h) <= 1 /\ dot d2 (psi' h) (psi' h) <= 1 /\
    0 <= r h <= 1 /\ 0 <= r' h <= 1) ->
  let w := total H (fun i => let h := S i in
    pair d1 (phi h) (phi' h) (V h) (V' h) + pair d2 (psi h) (psi' h) (r h) (r' h)) in
  let most := 9 / 2 * total H (fun i => ((INR H - INR (S i)) / INR H) ^ 4 + 1) in
  w <= most /\ most <= 54 / 10 * INR H.
Proof.
  intros d1 d2 H phi phi' psi psi' V V' r r' some legal w most.
  assert (1 <= INR H) as x_large by (change 1 with (INR 1); apply le_INR; assumption).
  split.
  - unfold w, most. rewrite <- total_scaled. apply total_at_most. intros i inside.
    destruct (legal (S i) ltac:(lia)) as (a & b & v & v' & c & e & s & s').
    assert (0 <= (INR H - INR (S i)) / INR H).
    { apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat; lra].
      pose proof (le_INR (S i) H ltac:(lia)). lra. }
    pose proof (pair_at_most d1 _ _ _ _ _ ltac:(eassumption) a b v v') as transitions.
    pose proof (pair_at_most d2 (psi (S i)) (psi' (S i)) (r (S i)) (r' (S i)) 1 ltac:(lra)
                  ltac:(lra) ltac:(lra) s s') as rewards.
    cbv zeta. lra.
  - unfold most.
    rewrite (total_same H (fun i => ((INR H - INR (S i)) / INR H) ^ 4 + 1)
      (fun i => / INR H ^ 4 * (INR H - INR (S i)) ^ 4 + 1 * 1 + 0 * 0)) by (intros; field; lra).
    rewrite (total_combined H (/ INR H ^ 4) 1 0 (fun i => (INR H - INR (S i)) ^ 4)
               (fun _ => 1) (fun _ => 0)), !total_constant.
    pose proof (fourth_powers H) as powers.
    assert (/ INR H ^ 4 * (5 * total H (fun i => (INR H - INR (S i)) ^ 4))
            <= / INR H ^ 4 * INR H ^ 5) as divided.
    { apply Rmult_le_compat_l; [|assumption]. apply Rlt_le, Rinv_0_lt_compat, pow_lt. lra. }
    replace (/ INR H ^ 4 * INR H ^ 5) with (INR H) in divided by (field; lra). lra.
Qed.

(* The mutant: 4.499 in place of 4.5, two users whose features stand at 120.5 degrees. *)
Theorem pair_mutant :
  ~ (forall (d : nat) (a b : vector) (v w c : R),
     0 <= c -> dot d a a <= c ^ 2 -> dot d b b <= c ^ 2 -> 0 <= v <= c -> 0 <= w <= c ->
     pair d a b v w <= 4499 / 1000 * c ^ 4).
Proof.
  intro claim.
  specialize (claim 2%nat (fun i => match i with O => 1 | _ => 0 end)
                (fun i => match i with O => - (33 / 65) | _ => 56 / 65 end) 1 1 1).
  rewrite pair_expanded in claim. unfold dot in claim. simpl in claim. lra.
Qed.

(* The mutant: 2.4 H in place of 5.4 H; at H = 1 the pair of the rewards alone changes by 4.4. *)
Theorem weight_mutant :
  ~ (forall (d1 d2 H : nat) (phi phi' psi psi' : nat -> vector) (V V' r r' : nat -> R),
     (1 <= H)%nat ->
     (forall h, (1 <= h <= H)%nat ->
       let c := (INR H - INR h) / INR H in
       dot d1 (phi h) (phi h) <= c ^ 2 /\ dot d1 (phi' h) (phi' h) <= c ^ 2 /\
       0 <= V h <= c /\ 0 <= V' h <= c /\
       dot d2 (psi h) (psi h) <= 1 /\ dot d2 (psi' h) (psi' h) <= 1 /\
       0 <= r h <= 1 /\ 0 <= r' h <= 1) ->
     total H (fun i => let h := S i in
       pair d1 (phi h) (phi' h) (V h) (V' h) + pair d2 (psi h) (psi' h) (r h) (r' h))
       <= 24 / 10 * INR H).
Proof.
  intro claim.
  specialize (claim 0%nat 2%nat 1%nat (fun _ _ => 0) (fun _ _ => 0)
                (fun _ i => match i with O => 1 | _ => 0 end)
                (fun _ i => match i with O => - (33 / 65) | _ => 56 / 65 end)
                (fun _ => 0) (fun _ => 0) (fun _ => 1) (fun _ => 1) ltac:(lia)).
  match type of claim with ?premise -> _ => assert premise as legal end.
  { intros h bounds. replace h with 1%nat by lia. unfold dot. simpl. repeat split; lra. }
  specialize (claim legal). cbn [total] in claim. cbv zeta in claim.
  rewrite !pair_expanded in claim. unfold dot in claim. simpl in claim. lra.
Qed.

(* The axioms of all theorems of this file. *)
Definition checked := (pair_at_most, pair_mutant, weight_of_a_user, weight_mutant).

Print Assumptions checked.
