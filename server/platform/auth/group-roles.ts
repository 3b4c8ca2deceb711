// From the groups in a provider's claims to roles in projects. Pure, so that the same claims always give the same roles.
import type { GroupRules } from '../base/identity-providers.mjs'
import type { PublishIn, Role } from './permissions.ts'

export interface GroupGrant {
  /** Slug. */
  readonly project: string
  readonly role: Role
  readonly publishIn: PublishIn
  /** Groups of the person that give exactly this role. Empty: the role for people without a mapped group. */
  readonly groups: readonly string[]
}

const ORDER: readonly Role[] = ['viewer', 'editor', 'publisher', 'admin']

type Profile = Readonly<Record<string, unknown>>

/** No claim means no groups. Null: the claim is no list of names, or the provider left groups out, so nothing may be decided. */
export function readGroups(profile: Profile, claim: string): readonly string[] | null {
  const value = profile[claim]
  if (value === undefined || value === null) return isElsewhere(profile, claim) ? null : []
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value)) return null
  const names = value.filter((name) => typeof name === 'string')
  return names.length === value.length ? names : null
}

/** OpenID Connect Core 5.6.2: a claim that is too long for a token is named here, and must be fetched. */
function isElsewhere({ _claim_names: names }: Profile, claim: string): boolean {
  return typeof names === 'object' && names !== null && claim in names
}

function decideProject(project: string, rules: readonly GroupRules['map'][number][]): GroupGrant {
  const highest = Math.max(...rules.map(({ role }) => ORDER.indexOf(role)))
  const role = ORDER[highest] ?? 'viewer'
  const deciding = rules.filter((rule) => rule.role === role)
  const isEverywhere = deciding.some(({ environments }) => environments === undefined)
  const environments = deciding.flatMap(({ environments: some = [] }) => some)
  return {
    project,
    role,
    publishIn: isEverywhere ? null : [...new Set(environments)].toSorted(),
    groups: [...new Set(deciding.map(({ group }) => group))].toSorted(),
  }
}

/** At most one grant for each project: the highest role counts, and publishers have the environments of all their groups. Empty: refuse. `oldest`: slug of the oldest project. */
export function decideGrants(
  { map, without }: GroupRules,
  groups: readonly string[],
  oldest: string,
): readonly GroupGrant[] {
  const rules = map.filter(({ group }) => groups.includes(group))
  if (rules.length === 0) {
    if (without === 'refuse') return []
    return [{ project: oldest, role: without, publishIn: null, groups: [] }]
  }
  const projects = new Set(rules.map(({ project = oldest }) => project))
  return [...projects].map((slug) =>
    decideProject(
      slug,
      rules.filter(({ project = oldest }) => project === slug),
    ),
  )
}
