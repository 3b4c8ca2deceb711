import { listReleasers } from './members.sql.ts'
import { type Member, mayIn } from './permissions.ts'
import type { ProjectScope } from './scope.ts'

type PlacePermission = 'release.publish' | 'call.approve' | 'session.control'

/** `verb`: completes "may". `noun`: completes "does not include". */
const WORDS = {
  'release.publish': { verb: 'release to', noun: 'releases' },
  'call.approve': { verb: 'approve calls in', noun: 'approving calls' },
  'session.control': { verb: 'pause and end sessions in', noun: 'pausing and ending sessions' },
} satisfies { [Permission in PlacePermission]: { readonly verb: string; readonly noun: string } }

const MOST_NAMED = 3

const AND = new Intl.ListFormat('en-GB')

/** Returns text such as `You may release to dev and staging. Who may release to production: Ana and Marta.` */
export function describeMissingRight(
  { role, publishIn }: Member,
  asked: {
    readonly permission: PlacePermission
    readonly environment: string
    readonly holders: readonly string[]
  },
): string {
  const { permission, environment, holders } = asked
  const { verb, noun } = WORDS[permission]
  const own =
    role === 'publisher'
      ? `You may ${verb} ${publishIn?.length ? AND.format(publishIn) : 'no environment'}.`
      : `Your role ${role} does not include ${noun}.`
  const names = holders.slice(0, MOST_NAMED)
  const more = holders.length - names.length
  const who = more > 0 ? [...names, `${more} more`] : names
  return `${own} Who may ${verb} ${environment}: ${who.length === 0 ? 'no one' : AND.format(who)}.`
}

export interface PlaceRight {
  readonly environment: string
  /** Reason why the member may not; null: they may. */
  readonly refusal: string | null
}

export async function loadPlaceRights(
  member: ProjectScope,
  permission: PlacePermission,
  environments: readonly string[],
): Promise<readonly PlaceRight[]> {
  const isOpen = (environment: string) => mayIn(member, permission, environment)
  const holders = environments.every(isOpen) ? [] : await listReleasers(member.projectId)
  return environments.map((environment) => ({
    environment,
    refusal: isOpen(environment)
      ? null
      : describeMissingRight(member, {
          permission,
          environment,
          holders: holders
            .filter((holder) => mayIn(holder, permission, environment))
            .map(({ name }) => name),
        }),
  }))
}

export async function findPlaceRefusal(
  member: ProjectScope,
  permission: PlacePermission,
  environment: string,
): Promise<string | null> {
  const [right] = await loadPlaceRights(member, permission, [environment])
  return right?.refusal ?? null
}
