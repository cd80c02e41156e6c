(* vietri2020, Lemma 9: refuted. At T = S = H = 1 and A = 2 the lemma says: if an agent is
   epsilon-JDP (the first state is public), its trace, the first action together with the final
   policy's action, is epsilon-DP in the user.

   The agent below draws its first action by a fair coin. It then puts out policy 1 with
   probability 0 after action 0 and reward 0, 1/4 after action 0 and reward 1, and 1/2 after
   action 1. A user is a pair of rewards, one for each action. What others see is the policy
   alone: it is 1 with probability 1/4 or 3/8, so 0 with 3/4 or 5/8, and no ratio exceeds 3/2. The
   trace shows the action too: (0, 1) has probability 0 for the reward 0 and 1/8 for the reward 1.
   So the agent is ln(3/2)-JDP and its trace is epsilon-DP for no epsilon at all. *)

Require Import Reals Lra.
Open Scope R_scope.

(* false is 0, true is 1. An agent: the law of the first action; after an action and its reward,
   the law of the policy. *)
Record agent := {
  first : bool -> R;
  policy : bool -> bool -> bool -> R
}.

Definition legal (g : agent) : Prop :=
  (forall a, 0 <= first g a) /\ first g false + first g true = 1 /\
  (forall a x p, 0 <= policy g a x p) /\
  (forall a x, policy g a x false + policy g a x true = 1).

(* The user's reward for each action. *)
Definition user := bool -> bool.

(* The probability of an output, and of an event, a set of outputs (action, policy). *)
Definition law (g : agent) (u : user) (a p : bool) : R := first g a * policy g a (u a) p.

Definition Pr (g : agent) (u : user) (event : bool -> bool -> bool) : R :=
  let share a p := if event a p then law g u a p else 0 in
  share false false + share false true + share true false + share true true.

(* Joint privacy: events on all outputs outside the user's episode, here on the policy. *)
Definition jointly_private (epsilon : R) (g : agent) : Prop :=
  forall (u u' : user) (event : bool -> bool),
    Pr g u (fun _ p => event p) <= exp epsilon * Pr g u' (fun _ p => event p).

(* Privacy of the trace: events on the first action and the policy. *)
Definition private_trace (epsilon : R) (g : agent) : Prop :=
  forall (u u' : user) (event : bool -> bool -> bool),
    Pr g u event <= exp epsilon * Pr g u' event.

Definition table (a x p : bool) : R :=
  let one := match a, x with
    | false, false => 0
    | false, true => 1 / 4
    | true, _ => 1 / 2
    end in
  if p then one else 1 - one.

Definition secret_coin : agent := {| first := fun _ => 1 / 2; policy := table |}.

Lemma secret_coin_legal : legal secret_coin.
Proof.
  repeat split; simpl.
  - intros a. lra.
  - lra.
  - intros a x p. destruct a, x, p; simpl; lra.
  - intros a x. destruct a, x; simpl; lra.
Qed.

(* By cases: the four users on either side, and the four events. *)
Lemma secret_coin_jointly_private : jointly_private (ln (3 / 2)) secret_coin.
Proof.
  intros u u' event. rewrite exp_ln by lra. unfold Pr, law, secret_coin. simpl.
  destruct (event false), (event true), (u false), (u true), (u' false), (u' true);
    simpl; lra.
Qed.

Lemma secret_coin_trace : forall epsilon : R, ~ private_trace epsilon secret_coin.
Proof.
  intros epsilon private.
  specialize (private (fun _ => true) (fun _ => false) (fun a p => andb (negb a) p)).
  unfold Pr, law, secret_coin in private. simpl in private. lra.
Qed.

(* The refutation: joint privacy at e^epsilon = 3/2, and no privacy of the trace. *)
Theorem lemma_9_refuted :
  legal secret_coin /\ jointly_private (ln (3 / 2)) secret_coin /\
  forall epsilon : R, ~ private_trace epsilon secret_coin.
Proof.
  split; [exact secret_coin_legal|].
  split; [exact secret_coin_jointly_private | exact secret_coin_trace].
Qed.

Theorem lemma_9_fails :
  ~ (forall (g : agent) (epsilon : R),
     0 < epsilon -> legal g -> jointly_private epsilon g -> private_trace epsilon g).
Proof.
  intro lemma. apply (secret_coin_trace (ln (3 / 2))). apply lemma.
  - rewrite <- ln_1. apply ln_increasing; lra.
  - exact secret_coin_legal.
  - exact secret_coin_jointly_private.
Qed.

(* The first mutant: 1.49 in place of 3/2. *)
Theorem lemma_9_mutant : ~ jointly_private (ln (149 / 100)) secret_coin.
Proof.
  intro private.
  specialize (private (fun _ => true) (fun _ => false) (fun p => p)).
  rewrite exp_ln in private by lra.
  unfold Pr, law, secret_coin in private. simpl in private. lra.
Qed.

(* The second: the same table after a fixed action. The reward 0 then shows in the policy, and the
   agent is jointly private for no epsilon. *)
Theorem lemma_9_mutant_fixed_action : forall epsilon : R,
  ~ jointly_private epsilon {| first := fun a => if a then 0 else 1; policy := table |}.
Proof.
  intros epsilon private.
  specialize (private (fun _ => true) (fun _ => false) (fun p => p)).
  unfold Pr, law in private. simpl in private. lra.
Qed.

(* The axioms of all theorems of this file. *)
Definition checked := (lemma_9_refuted, lemma_9_fails, lemma_9_mutant, lemma_9_mutant_fixed_action).

Print Assumptions checked.
