// The team as the editor knows it: the last `swarm/state`, and every event since. Knows no editor and no
// connection; `feed.ts` fills it.
import type {
  EventParams,
  MemberView,
  PermissionRequest,
  PlanRequest,
  StateResult,
  Task,
  TeamView,
} from "../protocol.ts";

export class TeamModel {
  teams: TeamView[] = [];
  readonly members = new Map<string, MemberView>();
  /** The open questions, oldest first. */
  readonly questions = new Map<string, PermissionRequest>();
  readonly tasks = new Map<string, Task>();
  /** The plans that wait, oldest first. */
  readonly plans = new Map<string, PlanRequest>();
  /** The last event that this includes. */
  private seq = 0;

  /** Takes the server's whole state in place of what was known. */
  replace(state: StateResult): void {
    this.seq = state.seq;
    this.teams = state.teams;
    refill(this.members, state.members, (member) => member.agentId);
    refill(this.questions, state.permissions, (request) => request.id);
    refill(this.plans, state.plans, (plan) => plan.id);
    refill(this.tasks, state.tasks, (task) => task.id);
  }

  /** What this event's place in the order means: it is the next one, it is included already, or some are missing. */
  place({ seq }: EventParams): "next" | "known" | "gap" {
    if (seq <= this.seq) return "known";
    return seq === this.seq + 1 ? "next" : "gap";
  }

  /** Takes an event. Returns whether it can only be understood with the whole state, such as a new team's first. */
  apply({ seq, team, event }: EventParams): "done" | "unclear" {
    this.seq = seq;
    switch (event.kind) {
      case "teamChanged":
        return "unclear";
      case "memberChanged":
        this.members.set(event.member.agentId, event.member);
        break;
      case "memberEnded":
        this.patch(event.member, { state: event.outcome });
        break;
      case "permissionRequested":
        this.questions.set(event.request.id, event.request);
        break;
      case "permissionResolved":
        this.questions.delete(event.id);
        break;
      case "planRequested":
        this.plans.set(event.plan.id, event.plan);
        break;
      case "planResolved":
        this.plans.delete(event.id);
        break;
      case "taskChanged":
        this.tasks.set(event.task.id, event.task);
        break;
    }
    return this.teams.some((known) => known.name === team) ? "done" : "unclear";
  }

  /** The leader's agent of the first team. */
  get lead(): MemberView | undefined {
    const id = this.teams[0]?.leadAgentId;
    return id === undefined ? undefined : this.members.get(id);
  }

  get oldestQuestion(): PermissionRequest | undefined {
    return this.questions.values().next().value;
  }

  /** How many calls and plans wait for the person. */
  get open(): number {
    return this.questions.size + this.plans.size;
  }

  /** The id of the call or plan that has waited longest. */
  get oldestOpen(): string | undefined {
    const waiting = [...this.questions.values(), ...this.plans.values()];
    return waiting.sort((a, b) => a.createdAt - b.createdAt)[0]?.id;
  }

  /** The members of a team, its leader's agent first, then in the order in which they came. */
  membersOf(team: TeamView): MemberView[] {
    const members = [...this.members.values()].filter((member) => member.team === team.name);
    return members.sort((a, b) => rank(a, team) - rank(b, team));
  }

  private patch(id: string, change: Partial<MemberView>): void {
    const member = this.members.get(id);
    if (member) this.members.set(id, { ...member, ...change });
  }
}

function rank(member: MemberView, team: TeamView): number {
  return member.agentId === team.leadAgentId ? 0 : 1;
}

function refill<T>(map: Map<string, T>, values: T[], key: (value: T) => string): void {
  map.clear();
  for (const value of values) map.set(key(value), value);
}
