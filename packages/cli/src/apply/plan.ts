// Compares what a file declares with what exists. The server checks every step again: a key never grants what it lacks.
import { createHash } from 'node:crypto'
import { ROLE_SCOPES } from '@signalbox/wire'
import type { LiveAlert, LiveInvitation, LiveKey, LivePerson, LiveProject } from './live-project.ts'
import type {
  DesiredAlert,
  DesiredEnvironment,
  DesiredKey,
  DesiredMember,
  DesiredProject,
  DesiredStream,
  Destination,
} from './project-file.ts'

export interface Request {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: object
}

export interface Step {
  readonly sign: '+' | '~' | '-'
  /** The change in words, without a secret. */
  readonly words: string
  readonly request: Request
  /** Kind and name under which the answer goes to the file of secrets; absent: it has no secret. */
  readonly secret?: { readonly kind: 'key' | 'invitation'; readonly name: string }
  /** Request that follows with the id of the answer. Absent: none. */
  readonly next?: (id: string) => Request
}

/** A step that the calling key cannot do. */
interface Blocked extends Pick<Step, 'sign' | 'words'> {
  /** Scopes that the key lacks. */
  readonly needs: readonly string[]
}

export interface Plan {
  readonly steps: readonly Step[]
  readonly blocked: readonly Blocked[]
  /** Differences that stay, each with the reason. */
  readonly left: readonly string[]
}

interface Live<Row> {
  readonly live: LiveProject
  readonly wanted: readonly Row[]
  readonly prune: boolean
}

type Part = Partial<Plan>

const join = (parts: readonly Part[]): Plan => ({
  steps: parts.flatMap(({ steps = [] }) => steps),
  blocked: parts.flatMap(({ blocked = [] }) => blocked),
  left: parts.flatMap(({ left = [] }) => left),
})

const left = (words: string): Part => ({ left: [words] })
const step = (one: Step): Part => ({ steps: [one] })

function stepWith(scopes: readonly string[], { caller }: LiveProject, one: Step): Part {
  const { sign, words } = one
  const needs = scopes.filter((scope) => !caller.scopes.includes(scope))
  return needs.length === 0 ? step(one) : { blocked: [{ sign, words, needs }] }
}

export function buildPlan(
  { name, environments, keys, alerts, streams, members }: DesiredProject,
  live: LiveProject,
  prune: boolean,
): Plan {
  const given = <Row>(
    rows: readonly Row[] | undefined,
    plan: (of: Live<Row>) => readonly Part[],
  ): readonly Part[] => (rows === undefined ? [] : plan({ live, wanted: rows, prune }))
  const {
    steps,
    blocked,
    left: kept,
  } = join([
    ...(name === undefined || name === live.name ? [] : [step(renaming(live.name, name))]),
    ...given(environments, planEnvironments),
    ...given(keys, planKeys),
    ...given(alerts, planAlerts),
    ...given(streams, planStreams),
    ...given(members, planMembers),
  ])
  // Nothing is removed before its replacement exists.
  const isRemoval = ({ sign }: Step): boolean => sign === '-'
  const removals = steps.filter(isRemoval)
  const others = steps.filter((one) => !isRemoval(one))
  if (blocked.length === 0) return { steps: [...others, ...removals], blocked, left: kept }
  const waiting = removals.map(
    ({ words }) => `${words}: waits for the steps that need a key with other scopes`,
  )
  return { steps: others, blocked, left: [...kept, ...waiting] }
}

function renaming(from: string, name: string): Step {
  const request = { method: 'PATCH', path: '/project', body: { name } } as const
  return { sign: '~', words: `project "${from}": rename to "${name}"`, request }
}

/** Fields that differ, as words. */
function differences(now: object, then: object): readonly string[] {
  const values: Readonly<Record<string, unknown>> = { ...now }
  return Object.entries(then).flatMap(([field, value]) => {
    const was = values[field]
    const isSame = JSON.stringify(was) === JSON.stringify(value)
    return isSame ? [] : [`${field} ${JSON.stringify(was)} → ${JSON.stringify(value)}`]
  })
}

function planEnvironments({ live, wanted }: Live<DesiredEnvironment>): readonly Part[] {
  const declared = new Set(wanted.map(({ name }) => name))
  const extra = live.environments.filter(({ name }) => !declared.has(name))
  return [
    ...wanted.map((environment): Part => {
      const { name, ...demands } = environment
      const found = live.environments.find((each) => each.name === name)
      if (found === undefined) {
        const request = { method: 'POST', path: '/environments', body: environment } as const
        return step({ sign: '+', words: `environment ${name}: create`, request })
      }
      const current = {
        requires_note: found.requires_note,
        requires_typed_name: found.requires_confirm,
        required_approvals: found.required_approvals,
        rollback_skips_approval: found.rollback_skips_approval,
        requires_backtest: found.requires_backtest,
      }
      const changes = differences(current, demands)
      if (changes.length === 0) return {}
      const words = `environment ${name}: ${changes.join(', ')}`
      if (name !== live.caller.environment) return left(elsewhere(words, name))
      return step({
        sign: '~',
        words,
        request: {
          method: 'PUT',
          path: `/environments/${name}`,
          body: { ...current, ...demands },
        },
      })
    }),
    ...extra.map(({ name }) =>
      left(`environment ${name} is not declared: only users remove environments`),
    ),
  ]
}

function elsewhere(words: string, environment: string): string {
  return `${words}: needs an API key of ${environment}`
}

const sorted = (words: readonly string[]): readonly string[] => [...words].sort()

function isDeclaredKey(key: LiveKey, wanted: DesiredKey): boolean {
  const { name, environment, scopes, expires_at: end } = wanted
  return (
    key.name === name &&
    key.environment === environment &&
    String(sorted(key.scopes)) === String(sorted([...new Set(scopes)])) &&
    (end === undefined || key.expires_at === Date.parse(end))
  )
}

function planKey(live: LiveProject, key: DesiredKey): Part {
  const { caller } = live
  const { name, environment, scopes, expires_at: end } = key
  const words = `key ${name} of ${environment}: create with ${scopes.join(', ')}`
  if (environment !== caller.environment) return left(elsewhere(`key ${name}`, environment))
  if (live.keys.some((one) => isDeclaredKey(one, key))) return {}
  const expiresAt = end === undefined ? caller.expires_at : Date.parse(end)
  if (caller.expires_at !== null && (expiresAt ?? Infinity) > caller.expires_at) {
    return left(`${words}: needs an API key that expires no earlier`)
  }
  const body = { name, environment, scopes, expires_at: expiresAt }
  const request = { method: 'POST', path: '/keys', body } as const
  return stepWith(scopes, live, { sign: '+', words, request, secret: { kind: 'key', name } })
}

function planKeys({ live, wanted, prune }: Live<DesiredKey>): readonly Part[] {
  const extra = live.keys.filter(
    (key) => key.replaced_by === null && !wanted.some((one) => isDeclaredKey(key, one)),
  )
  return [
    ...wanted.map((key) => planKey(live, key)),
    ...extra.map(({ id, name, prefix }) =>
      id === live.caller.id
        ? left(
            `key ${name} (${prefix}) is not declared: it makes these changes, and cannot remove itself`,
          )
        : removal(`key ${name} (${prefix})`, `/keys/${id}`, prune),
    ),
  ]
}

function removal(what: string, path: string, prune: boolean): Part {
  return prune
    ? step({ sign: '-', words: `${what}: remove`, request: { method: 'DELETE', path } })
    : left(`${what} is not declared: --prune removes it`)
}

function digest({ kind, url }: Destination): string {
  return createHash('sha256').update(`${kind} ${url}`).digest('hex')
}

function changeAlert(
  found: LiveAlert,
  { enabled = found.enabled, destinations, ...rule }: DesiredAlert,
): readonly Step[] {
  const { id, name, ns, key, runtime, code, window_minutes, threshold } = found
  const isSent =
    destinations === undefined ||
    String(sorted(destinations.map(digest))) ===
      String(sorted(found.destinations.map((each) => each.digest)))
  const changes = [...differences(found, rule), ...(isSent ? [] : ['other destinations'])]
  const current = { ns, key, runtime, code, window_minutes, threshold }
  const change: Step = {
    sign: '~',
    words: `alert ${name}: ${changes.join(', ')}`,
    request: {
      method: 'PUT',
      path: `/alert-rules/${id}`,
      body: { ...current, ...rule, ...(destinations && { destinations }) },
    },
  }
  const words = `alert ${name}: switch ${enabled ? 'on' : 'off'}`
  return [
    ...(changes.length === 0 ? [] : [change]),
    ...(found.enabled === enabled
      ? []
      : [{ sign: '~', words, request: enabling(id, enabled) } as const]),
  ]
}

function enabling(id: string, enabled: boolean): Request {
  return { method: 'POST', path: `/alert-rules/${id}/enable`, body: { enabled } }
}

function planAlert(live: LiveProject, alert: DesiredAlert): Part {
  const { name, environment, enabled = true, ...rule } = alert
  if (environment !== live.caller.environment) return left(elsewhere(`alert ${name}`, environment))
  const same = live.alerts.filter((each) => each.name === name)
  const [found] = same
  if (same.length > 1) return left(`alert ${name}: ${same.length} rules have this name`)
  if (found !== undefined) return { steps: changeAlert(found, alert) }
  return step({
    sign: '+',
    words: `alert ${name}: create for ${alert.signal} in ${environment}`,
    request: {
      method: 'POST',
      path: '/alert-rules',
      body: { destinations: [], ...rule, name, environment },
    },
    ...(enabled ? {} : { next: (id) => enabling(id, enabled) }),
  })
}

function planAlerts({ live, wanted, prune }: Live<DesiredAlert>): readonly Part[] {
  const own = live.caller.environment
  const declared = new Set(
    wanted.filter(({ environment }) => environment === own).map(({ name }) => name),
  )
  return [
    ...wanted.map((alert) => planAlert(live, alert)),
    ...live.alerts
      .filter(({ name }) => !declared.has(name))
      .map(({ id, name }) => removal(`alert ${name}`, `/alert-rules/${id}`, prune)),
  ]
}

const NEW_STREAM = { audit: false, decisions: false, environment: null }

function planStream(live: LiveProject, stream: DesiredStream): Part {
  const { name, url, ...source } = stream
  const words = `webhook stream ${name}`
  const found = live.streams.find((each) => each.name === name)
  const { audit, decisions, environment } = found ?? NEW_STREAM
  const body = { audit, decisions, environment, ...stream }
  if (body.environment !== null && body.environment !== live.caller.environment) {
    return left(elsewhere(words, body.environment))
  }
  if (body.decisions && body.environment === null) {
    return left(`${words}: only users send the decisions of every environment`)
  }
  const needed = [
    ...(body.audit ? ['audit:read'] : []),
    ...(body.decisions ? ['sessions:read'] : []),
  ]
  if (found === undefined) {
    const request = { method: 'POST', path: '/webhook-streams', body } as const
    return stepWith(needed, live, { sign: '+', words: `${words}: create`, request })
  }
  const changes = [
    ...differences(found, source),
    ...(found.digest === digest({ kind: 'webhook', url }) ? [] : ['another address']),
  ]
  if (changes.length === 0) return {}
  return stepWith(needed, live, {
    sign: '~',
    words: `${words}: ${changes.join(', ')}`,
    request: { method: 'PUT', path: `/webhook-streams/${found.id}`, body },
  })
}

function planStreams({ live, wanted, prune }: Live<DesiredStream>): readonly Part[] {
  const declared = new Set(wanted.map(({ name }) => name))
  return [
    ...wanted.map((stream) => planStream(live, stream)),
    ...live.streams
      .filter(({ name }) => !declared.has(name))
      .map(({ id, name }) => removal(`webhook stream ${name}`, `/webhook-streams/${id}`, prune)),
  ]
}

type Grant = Pick<LivePerson, 'role' | 'publish_in'>

/** `found`: the grant that exists; absent: none. */
function toGrant({ role, publish_in: places }: DesiredMember, found?: Grant): Grant {
  const kept = places === undefined ? (found?.publish_in ?? null) : places
  return { role, publish_in: role === 'publisher' ? kept : null }
}

const isSameGrant = (one: Grant, other: Grant): boolean =>
  one.role === other.role &&
  (other.role !== 'publisher' ||
    JSON.stringify(one.publish_in && sorted(one.publish_in)) ===
      JSON.stringify(other.publish_in && sorted(other.publish_in)))

const grantText = ({ role, publish_in: places }: Grant): string =>
  places === null || role !== 'publisher' ? role : `${role} in ${places.join(', ')}`

const isOf =
  (email: string) =>
  (one: { readonly email: string }): boolean =>
    one.email.toLowerCase() === email

function planMember(live: LiveProject, member: DesiredMember): Part {
  const { email } = member
  const person = live.people.find(isOf(email))
  const found = person ?? live.invitations.find(isOf(email))
  const grant = toGrant(member, found)
  if (found !== undefined && isSameGrant(found, grant)) return {}
  const words = `member ${email}`
  const scopes = ROLE_SCOPES[member.role]
  if (person?.role === 'admin' || scopes === null) {
    return left(`${words}: only users make, change or remove an admin`)
  }
  const places = grant.publish_in?.filter((name) => name !== live.caller.environment)
  if (grant.role === 'publisher' && places?.length !== 0) {
    return left(`${words}: this API key makes publishers of ${live.caller.environment} only`)
  }
  if (person === undefined) {
    return stepWith(scopes, live, {
      sign: '+',
      words: `${words}: invite as ${grantText(grant)}`,
      request: { method: 'POST', path: '/invitations', body: { email, ...grant } },
      secret: { kind: 'invitation', name: email },
    })
  }
  return stepWith(scopes, live, {
    sign: '~',
    words: `${words}: ${person.role} → ${grantText(grant)}`,
    request: { method: 'PATCH', path: `/people/${person.user_id}`, body: grant },
  })
}

function planMembers({ live, wanted, prune }: Live<DesiredMember>): readonly Part[] {
  const declared = new Set(wanted.map(({ email }) => email))
  const isExtra = ({ email }: LivePerson | LiveInvitation): boolean =>
    !declared.has(email.toLowerCase())
  return [
    ...wanted.map((member) => planMember(live, member)),
    ...live.people
      .filter(isExtra)
      .map(({ user_id: id, email, role }) =>
        role === 'admin'
          ? left(`member ${email} is not declared: only users remove an admin`)
          : removal(`member ${email}`, `/people/${id}`, prune),
      ),
    ...live.invitations
      .filter(isExtra)
      .map(({ id, email }) => removal(`invitation of ${email}`, `/invitations/${id}`, prune)),
  ]
}
