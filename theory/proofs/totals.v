(* Sums of the first k of numbered terms: what several files add up over episodes, steps or states.
   A definition that a statement uses is part of it. *)

Require Import Reals Lra Lia.
Open Scope R_scope.

(* total k f = f 0 + .. + f (k - 1) *)
Fixpoint total (k : nat) (f : nat -> R) : R :=
  match k with
  | O => 0
  | S j => total j f + f j
  end.

Lemma total_same : forall k f g, (forall i, (i < k)%nat -> f i = g i) -> total k f = total k g.
Proof.
  induction k as [|k same]; intros f g equal; simpl; [reflexivity|].
  rewrite (same f g), equal; [reflexivity | lia | intros; apply equal; lia].
Qed.

Lemma total_at_most : forall k f g,
  (forall i, (i < k)%nat -> f i <= g i) -> total k f <= total k g.
Proof.
  induction k as [|k at_most]; intros f g below; simpl; [lra|].
  pose proof (below k ltac:(lia)).
  assert (total k f <= total k g) by (apply at_most; intros; apply below; lia). lra.
Qed.

Lemma total_scaled : forall k c f, total k (fun i => c * f i) = c * total k f.
Proof. induction k as [|k same]; intros; simpl; [ring | rewrite same; ring]. Qed.

Lemma total_added : forall k f g, total k (fun i => f i + g i) = total k f + total k g.
Proof. induction k as [|k same]; intros; simpl; [ring | rewrite same; ring]. Qed.

Lemma total_constant : forall k c, total k (fun _ => c) = INR k * c.
Proof. induction k as [|k same]; intros; simpl total; [simpl | rewrite same, S_INR]; ring. Qed.

Lemma total_swapped : forall k n f,
  total k (fun i => total n (fun j => f i j)) = total n (fun j => total k (fun i => f i j)).
Proof.
  induction k as [|k same]; intros n f; simpl.
  - rewrite total_constant. ring.
  - rewrite same, <- total_added. reflexivity.
Qed.
