(* Finite sums of real numbers, and laws on a finite alphabet: what the other files share.

   sum l f adds f x over the entries x of the list l. A law on the alphabet l is a weight p x >= 0
   of every letter, with total 1. *)

Require Import Reals Lra Lia List.
Open Scope R_scope.

Definition sum {X : Type} (l : list X) (f : X -> R) : R :=
  fold_right (fun x total => f x + total) 0 l.

Definition law {X : Type} (l : list X) (p : X -> R) : Prop := (forall x, 0 <= p x) /\ sum l p = 1.

(* Half the l1 distance of two laws. *)
Definition total_variation {X : Type} (l : list X) (p q : X -> R) : R :=
  sum l (fun x => Rabs (p x - q x)) / 2.

Lemma sum_cons {X : Type} (x : X) (l : list X) (f : X -> R) : sum (x :: l) f = f x + sum l f.
Proof. reflexivity. Qed.

Lemma sum_app {X : Type} (l m : list X) (f : X -> R) : sum (l ++ m) f = sum l f + sum m f.
Proof. induction l as [|x l IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_map {X Y : Type} (g : X -> Y) (l : list X) (f : Y -> R) : sum (map g l) f =
  sum l (fun x => f (g x)).
Proof. induction l as [|x l IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_ext {X : Type} (l : list X) (f g : X -> R) : (forall x, In x l -> f x = g x) -> sum l f =
  sum l g.
Proof.
  induction l as [|x l IH]; intro same; simpl; [lra |].
  rewrite (same x (or_introl eq_refl)), IH; [lra | intros y y_in; apply same; right; exact y_in].
Qed.

Lemma sum_le {X : Type} (l : list X) (f g : X -> R) : (forall x, In x l -> f x <= g x) -> sum l f <=
  sum l g.
Proof.
  induction l as [|x l IH]; intro below; simpl; [lra |].
  pose proof (below x (or_introl eq_refl)).
  assert (sum l f <= sum l g) by (apply IH; intros y y_in; apply below; right; exact y_in).
  lra.
Qed.

Lemma sum_plus {X : Type} (l : list X) (f g : X -> R) : sum l (fun x => f x + g x) =
  sum l f + sum l g.
Proof. induction l as [|x l IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_minus {X : Type} (l : list X) (f g : X -> R) : sum l (fun x => f x - g x) =
  sum l f - sum l g.
Proof. induction l as [|x l IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_scale {X : Type} (l : list X) (c : R) (f : X -> R) : sum l (fun x => c * f x) =
  c * sum l f.
Proof. induction l as [|x l IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_zero {X : Type} (l : list X) : sum l (fun _ => 0) = 0.
Proof. induction l as [|x l IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_nonneg {X : Type} (l : list X) (f : X -> R) : (forall x, In x l -> 0 <= f x) -> 0 <=
  sum l f.
Proof. intro nonneg. rewrite <- (sum_zero l). apply sum_le. exact nonneg. Qed.

Lemma sum_const {X : Type} (l : list X) (c : R) : sum l (fun _ => c) = INR (length l) * c.
Proof. induction l as [|x l IH]; [simpl; lra |]. rewrite sum_cons, IH. cbn [length]. rewrite S_INR.
lra. Qed.

Lemma sum_swap {X Y : Type} (l : list X) (m : list Y) (f : X -> Y -> R) :
  sum l (fun x => sum m (fun y => f x y)) = sum m (fun y => sum l (fun x => f x y)).
Proof.
  induction l as [|x l IH]; simpl; [symmetry; apply sum_zero |].
  rewrite IH, <- sum_plus. reflexivity.
Qed.

(* One letter's weight, added over the first n numbers. *)
Lemma sum_one (start n i : nat) (u : R) :
  sum (seq start n) (fun x => if Nat.eqb x i then u else 0) =
  if (Nat.leb start i && Nat.ltb i (start + n))%bool then u else 0.
Proof.
  revert start. induction n as [|n IH]; intro start.
  - simpl. destruct (Nat.leb_spec start i), (Nat.ltb_spec i (start + 0)); simpl; try lra; lia.
  - cbn [seq]. rewrite sum_cons, IH.
    destruct (Nat.eqb_spec start i), (Nat.leb_spec (S start) i), (Nat.leb_spec start i),
      (Nat.ltb_spec i (S start + n)), (Nat.ltb_spec i (start + S n)); simpl; try lra; lia.
Qed.

(* The mean of f under a law lies between bounds of f. *)
Lemma mean_le {X : Type} (l : list X) (p f : X -> R) (c : R) :
  law l p -> (forall x, f x <= c) -> sum l (fun x => p x * f x) <= c.
Proof.
  intros [nonneg total] below.
  replace c with (sum l (fun x => p x * c)).
  - apply sum_le. intros x _. apply Rmult_le_compat_l; auto.
  - rewrite (sum_ext l _ (fun x => c * p x)) by (intros; ring). rewrite sum_scale, total. ring.
Qed.
