(* chowdhury2021, Lemma 13 and zhou2022, Lemma B.5 (Laurent and Massart): for U chi-square with D
   degrees of freedom and x > 0,  P(U >= D + 2 sqrt(D x) + 2 x) <= exp(-x).  For all D > 0, x > 0.

   Of U only its moment generating function is used, E exp(lambda U) = (1 - 2 lambda)^(-D/2) for
   0 < lambda < 1/2. By Markov's inequality P(U >= u) <= exp(-lambda u) (1 - 2 lambda)^(-D/2).
   Take s = sqrt(x/D) and lambda = s/(1 + 2s), so that 1 - 2 lambda = 1/(1 + 2s), and
   u = D (1 + 2s + 2s^2). The right side is exp(-lambda u + (D/2) ln(1 + 2s)), and it is at most
   exp(-D s^2) = exp(-x) because

     ln(1 + 2s) <= 2s (1 + s)/(1 + 2s),   that is, with y = 1 + 2s >= 1,  ln y <= (y - 1/y)/2.

   The two sides agree at y = 1, and the slope of their difference is (1 - 1/y)^2/2 >= 0. *)

Require Import Reals Lra.
Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(* ---- the logarithm ---- *)

Definition gap (y : R) : R := (y - / y) / 2 - ln y.

Lemma gap_derivative : forall y : R, 0 < y -> is_derive gap y ((1 - / y) ^ 2 / 2).
Proof.
  intros y y_positive. unfold gap. auto_derive; [lra | field; lra].
Qed.

Lemma logarithm_below : forall y : R, 1 <= y -> ln y <= (y - / y) / 2.
Proof.
  intros y [more | same].
  - destruct (MVT_cor2 gap (fun z => (1 - / z) ^ 2 / 2) 1 y more) as [z [increase _]].
    { intros z bounds. apply is_derive_Reals, gap_derivative. lra. }
    assert (0 <= (1 - / z) ^ 2 / 2 * (y - 1)).
    { apply Rmult_le_pos; [pose proof (pow2_ge_0 (1 - / z))|]; lra. }
    unfold gap in increase. rewrite ln_1, Rinv_1 in increase. lra.
  - rewrite <- same, ln_1, Rinv_1. lra.
Qed.

(* ---- the Chernoff step ---- *)

Definition threshold (D x root linear : R) : R := D + root * sqrt (D * x) + linear * x.

(* exp(-lambda u) E exp(lambda U) *)
Definition chernoff (D lambda u : R) : R :=
  exp (- lambda * u) * Rpower (1 - 2 * lambda) (- (D / 2)).

Theorem chernoff_step : forall D x : R, 0 < D -> 0 < x ->
  exists lambda : R, 0 < lambda < 1 / 2 /\ chernoff D lambda (threshold D x 2 2) <= exp (- x).
Proof.
  intros D x D_positive x_positive.
  set (s := sqrt (x / D)).
  assert (0 < s) as s_positive by (apply sqrt_lt_R0, Rdiv_lt_0_compat; assumption).
  assert (x = D * (s * s)) as x_is.
  { unfold s. rewrite sqrt_sqrt; [field; lra|]. apply Rlt_le, Rdiv_lt_0_compat; assumption. }
  assert (sqrt (D * x) = D * s) as root_is.
  { rewrite x_is. replace (D * (D * (s * s))) with ((D * s) * (D * s)) by ring.
    apply sqrt_square. apply Rmult_le_pos; lra. }
  exists (s / (1 + 2 * s)). split.
  - split; [apply Rdiv_lt_0_compat; lra|].
    apply Rmult_lt_reg_r with (1 + 2 * s); [lra|].
    replace (s / (1 + 2 * s) * (1 + 2 * s)) with s by (field; lra). lra.
  - unfold chernoff, threshold, Rpower. rewrite root_is.
    replace (1 - 2 * (s / (1 + 2 * s))) with (/ (1 + 2 * s)) by (field; lra).
    rewrite ln_Rinv by lra. rewrite <- exp_plus.
    pose proof (logarithm_below (1 + 2 * s) ltac:(lra)) as below.
    assert (D / 2 * ln (1 + 2 * s) <= D / 2 * ((1 + 2 * s - / (1 + 2 * s)) / 2)) as scaled
      by (apply Rmult_le_compat_l; lra).
    assert (- (s / (1 + 2 * s)) * (D + 2 * (D * s) + 2 * x)
            + D / 2 * ((1 + 2 * s - / (1 + 2 * s)) / 2) = - x) as exponent
      by (rewrite x_is; field; lra).
    assert (- (s / (1 + 2 * s)) * (D + 2 * (D * s) + 2 * x)
            + - (D / 2) * - ln (1 + 2 * s) <= - x) as at_most by lra.
    destruct at_most as [less | same]; [left; apply exp_increasing; assumption|].
    right. rewrite same. reflexivity.
Qed.

(* ---- the tail ---- *)

(* [mean] is an expectation, monotone and homogeneous on the functions that have one; U is any
   variable with the moment generating function of chi-square. *)
Theorem chi_square_tail : forall (Omega : Type) (integrable : (Omega -> R) -> Prop)
    (mean : (Omega -> R) -> R) (U : Omega -> R) (D x : R),
  (forall f g, integrable f -> integrable g -> (forall o, f o <= g o) -> mean f <= mean g) ->
  (forall c f, integrable f ->
    integrable (fun o => c * f o) /\ mean (fun o => c * f o) = c * mean f) ->
  0 < D -> 0 < x ->
  (forall lambda, 0 < lambda < 1 / 2 ->
    integrable (fun o => exp (lambda * U o)) /\
    mean (fun o => exp (lambda * U o)) = Rpower (1 - 2 * lambda) (- (D / 2))) ->
  let tail o := if Rle_dec (threshold D x 2 2) (U o) then 1 else 0 in
  integrable tail -> mean tail <= exp (- x).
Proof.
  intros Omega integrable mean U D x monotone homogeneous D_positive x_positive chi_square
    tail tail_integrable.
  destruct (chernoff_step D x D_positive x_positive) as [lambda [inside step]].
  set (u := threshold D x 2 2) in *.
  destruct (chi_square lambda inside) as [finite generating].
  destruct (homogeneous (exp (- lambda * u)) _ finite) as [scaled_finite scaled].
  apply Rle_trans with (2 := step). unfold chernoff. rewrite <- generating, <- scaled.
  apply monotone; try assumption. intro o. unfold tail.
  rewrite <- exp_plus. destruct (Rle_dec u (U o)) as [beyond | within].
  - assert (0 <= lambda * (U o - u)) as positive by (apply Rmult_le_pos; lra).
    pose proof (exp_ineq1_le (- lambda * u + lambda * U o)). lra.
  - apply Rlt_le, exp_pos.
Qed.

(* ---- the mutant ---- *)

(* 1.9 x in place of 2 x: at D = 1, x = 2000 no lambda gives the bound, as lambda < 1/2, the second
   factor exceeds 1, and the threshold is below 2 x. *)
Theorem chernoff_mutant :
  ~ (forall D x : R, 0 < D -> 0 < x ->
     exists lambda : R,
       0 < lambda < 1 / 2 /\ chernoff D lambda (threshold D x 2 (19 / 10)) <= exp (- x)).
Proof.
  intro claim. destruct (claim 1 2000 ltac:(lra) ltac:(lra)) as [lambda [inside bound]].
  assert (0 < sqrt (1 * 2000) <= 45) as root.
  { split; [apply sqrt_lt_R0; lra|]. rewrite <- (sqrt_pow2 45) by lra. apply sqrt_le_1_alt. lra. }
  unfold chernoff, threshold, Rpower in bound. rewrite <- exp_plus in bound.
  assert (ln (1 - 2 * lambda) < 0) as negative by (rewrite <- ln_1; apply ln_increasing; lra).
  set (u := 1 + 2 * sqrt (1 * 2000) + 19 / 10 * 2000) in *.
  assert (lambda * u <= 1 / 2 * u) as half by (apply Rmult_le_compat_r; unfold u; lra).
  assert (exp (- (2000)) < exp (- lambda * u + - (1 / 2) * ln (1 - 2 * lambda))); [|lra].
  apply exp_increasing. unfold u in *. lra.
Qed.

(* The axioms of all theorems of this file. *)
Definition checked := (chernoff_step, chi_square_tail, chernoff_mutant).

Print Assumptions checked.
