import { type DeclaredAddress, ProjectFileV1 } from '@signalbox/wire'
import { parseCheckedJson } from '../base/checked-json.ts'
import { Unusable } from '../base/io.ts'

type Declared = ProjectFileV1
type Alert = NonNullable<Declared['alerts']>[number]

export interface Destination {
  readonly kind: Declared['destinations'][string]['kind']
  readonly url: string
}

/** The file with every address and destination filled in. An undefined section is not managed. */
export interface DesiredProject {
  readonly name: string | undefined
  readonly environments: readonly DesiredEnvironment[] | undefined
  readonly keys: readonly DesiredKey[] | undefined
  readonly members: readonly DesiredMember[] | undefined
  readonly alerts: readonly DesiredAlert[] | undefined
  readonly streams: readonly DesiredStream[] | undefined
}

export type DesiredKey = NonNullable<Declared['keys']>[number]
export type DesiredMember = NonNullable<Declared['members']>[number]
export type DesiredEnvironment = NonNullable<Declared['environments']>[number]

export interface DesiredAlert extends Omit<Alert, 'prompt' | 'destinations'> {
  readonly ns?: string | null
  readonly key?: string | null
  readonly destinations?: readonly Destination[]
}

export interface DesiredStream
  extends Omit<NonNullable<Declared['webhook_streams']>[number], 'url'> {
  readonly url: string
}

interface Reading {
  readonly file: string
  readonly text: string
  readonly env: { readonly [name: string]: string | undefined }
}

/** Throws Unusable, naming the place. */
export function parseProject({ file, text, env }: Reading): DesiredProject {
  const parsed = parseCheckedJson(ProjectFileV1, file, text)
  const { name, environments, keys, members, destinations, alerts, webhook_streams } = parsed
  const inPlace = (row: { readonly environment: string; readonly name: string }) =>
    `${row.environment} ${row.name}`
  requireUnique(
    `${file}/environments`,
    environments?.map((one) => one.name),
  )
  requireUnique(`${file}/keys`, keys?.map(inPlace))
  requireUnique(`${file}/alerts`, alerts?.map(inPlace))
  requireUnique(
    `${file}/webhook_streams`,
    webhook_streams?.map((one) => one.name),
  )
  requireUnique(
    `${file}/members`,
    members?.map(({ email }) => email),
  )
  const fill = (address: DeclaredAddress): string => {
    if (typeof address === 'string') return address
    const value = env[address.env]
    if (!value) throw new Unusable(`${file}: Set the environment variable ${address.env}.`)
    return value
  }
  const places = new Map(
    Object.entries(destinations).map(([own, { kind, url }]) => [own, { kind, url: fill(url) }]),
  )
  return {
    name,
    environments,
    keys,
    members,
    alerts: alerts?.map(({ prompt, destinations: names, ...alert }) => ({
      ...alert,
      ...(prompt === undefined ? {} : splitPrompt(prompt)),
      ...(names && {
        destinations: names.map((own) => {
          const place = places.get(own)
          if (place !== undefined) return place
          throw new Unusable(`${file}: The alert "${alert.name}" names no destination "${own}".`)
        }),
      }),
    })),
    streams: webhook_streams?.map(({ url, ...stream }) => ({ ...stream, url: fill(url) })),
  }
}

function requireUnique(place: string, ids: readonly string[] = []): void {
  const twice = ids.find((id, at) => ids.indexOf(id) !== at)
  if (twice !== undefined) throw new Unusable(`${place}: "${twice}" is declared twice.`)
}

/** Throws Unusable, naming the field, for an environment that neither exists nor is declared. */
export function requireEnvironments(
  file: string,
  { environments = [], keys = [], alerts = [], streams = [], members = [] }: DesiredProject,
  existing: readonly string[],
): void {
  const known = new Set([...existing, ...environments.map(({ name }) => name)])
  const named = (section: string, rows: readonly { readonly environment?: string | null }[]) =>
    rows.map(({ environment }, at) => ({ at: `${section}/${at}/environment`, name: environment }))
  const wrong = [
    ...named('keys', keys),
    ...named('alerts', alerts),
    ...named('webhook_streams', streams),
    ...members.flatMap(({ publish_in: places }, at) =>
      (places ?? []).map((name, place) => ({ at: `members/${at}/publish_in/${place}`, name })),
    ),
  ].find(({ name }) => typeof name === 'string' && !known.has(name))
  if (wrong === undefined) return
  throw new Unusable(
    `${file}/${wrong.at}: There is no environment "${wrong.name}". The project has ${[...known].join(', ')}.`,
  )
}

function splitPrompt(prompt: string | null) {
  if (prompt === null) return { ns: null, key: null }
  const slash = prompt.lastIndexOf('/')
  return { ns: prompt.slice(0, slash), key: prompt.slice(slash + 1) }
}
