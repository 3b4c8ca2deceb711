import { bytesHash, parseForm } from '@signalbox/wire'
import * as z from 'zod/v4'
import { Unusable } from '../base/io.ts'
import { readArchive } from './read-archive.ts'

const ROOT = 'debug_bundle/'
const MANIFEST = `${ROOT}manifest.json`
const SESSION = `${ROOT}session/after.jsonl`
const ERROR = `${ROOT}error.json`

const WITH_ZONE = /(?:Z|[+-]\d\d:\d\d)$/

/** ISO 8601 with a zone; parsed to epoch milliseconds. */
const Instant = z
  .string()
  .refine((text) => WITH_ZONE.test(text) && Number.isFinite(Date.parse(text)), {
    error: 'Use an ISO 8601 time with a time zone.',
  })
  .transform((text) => Date.parse(text))

const Manifest = z.looseObject({
  format_version: z.string().regex(/^1\./, 'This program reads format 1.'),
  bundle_id: z.string().min(1).max(200),
  created_at: Instant,
  request: z.looseObject({
    request_id: z.string().max(200),
    session_id: z.string().max(200).nullish(),
    status: z.enum(['success', 'error']),
    started_at: Instant,
    ended_at: Instant,
  }),
  prompt: z.looseObject({ ns: z.string(), key: z.string(), adapter: z.string().nullish() }),
  integrity: z.looseObject({
    algorithm: z.literal('sha256'),
    checksums: z.record(z.string(), z.string()),
  }),
  build: z.looseObject({ version: z.string().nullish() }).nullish(),
})

const Snapshot = z.looseObject({
  version: z.literal('1'),
  slices: z.array(
    z.looseObject({
      /** `package.module:Class`. */
      item_type: z.string(),
      items: z.array(z.record(z.string(), z.unknown())),
    }),
  ),
})

const Failure = z.looseObject({ type: z.string().nullish(), message: z.string().nullish() })

const at = { created_at: Instant, event_id: z.string().max(200).nullish() }
const Prompted = z.looseObject({ ...at, prompt_name: z.string().nullish() })
const Tokens = z.int().min(0).max(2_147_483_647).nullish()

/** Fields read from each class of the reference. Nothing else in a snapshot is imported. */
const ITEMS = {
  PromptRendered: Prompted,
  PromptExecuted: Prompted.extend({
    usage: z.looseObject({ input_tokens: Tokens, output_tokens: Tokens }).nullish(),
  }),
  ToolInvoked: z.looseObject({
    ...at,
    name: z.string().min(1).max(200),
    params: z.unknown(),
    result: z.unknown(),
    call_id: z.string().max(300).nullish(),
  }),
  Feedback: z.looseObject({
    provider_name: z.string(),
    summary: z.string(),
    severity: z.string().nullish(),
    timestamp: Instant,
  }),
  Plan: z.looseObject({
    steps: z
      .array(
        z.looseObject({
          step_id: z.union([z.string(), z.number()]).nullish(),
          title: z.string(),
          status: z.string().nullish(),
        }),
      )
      .max(1000),
  }),
} as const

type ClassName = keyof typeof ITEMS
type Item<Name extends ClassName> = z.output<(typeof ITEMS)[Name]>

export interface DebugBundle {
  readonly manifest: z.output<typeof Manifest>
  readonly rendered: readonly Item<'PromptRendered'>[]
  readonly executed: readonly Item<'PromptExecuted'>[]
  readonly calls: readonly Item<'ToolInvoked'>[]
  readonly feedback: readonly Item<'Feedback'>[]
  /** Last plan; null: the session has none. */
  readonly plan: Item<'Plan'> | null
  /** null: the run succeeded, or its failure has no reason. */
  readonly error: string | null
  readonly left: readonly { readonly name: string; readonly count: number }[]
}

/** Throws Unusable with the file and the field. */
export function readDebugBundle(archive: Uint8Array): DebugBundle {
  const files = readArchive(archive, [MANIFEST, SESSION, ERROR])
  const manifest = parsed(Manifest, jsonIn(files, MANIFEST), { name: MANIFEST })
  for (const [name, bytes] of files) requireWhole(name, bytes, manifest)
  const lines = textIn(files, SESSION).split('\n')
  // One snapshot per line; the last one is the final state of the session.
  const last = lines.findLast((line) => line.trim() !== '') ?? ''
  const snapshot = parsed(Snapshot, parseBundleJson(last, SESSION), { name: SESSION })
  const failure = files.has(ERROR) ? parsed(Failure, jsonIn(files, ERROR), { name: ERROR }) : null
  return {
    manifest,
    rendered: readSliceItems(snapshot, 'PromptRendered'),
    executed: readSliceItems(snapshot, 'PromptExecuted'),
    calls: readSliceItems(snapshot, 'ToolInvoked'),
    feedback: readSliceItems(snapshot, 'Feedback'),
    plan: readSliceItems(snapshot, 'Plan').at(-1) ?? null,
    error: failure === null ? null : `${failure.type ?? 'Error'}: ${failure.message ?? ''}`,
    left: snapshot.slices
      .filter(({ item_type, items }) => items.length > 0 && !(parseClassName(item_type) in ITEMS))
      .map(({ item_type, items }) => ({ name: parseClassName(item_type), count: items.length })),
  }
}

const parseClassName = (type: string): string => type.slice(type.lastIndexOf(':') + 1)

function readSliceItems<Name extends ClassName>(
  { slices }: z.output<typeof Snapshot>,
  name: Name,
): readonly Item<Name>[] {
  // ITEMS maps each name to the schema of its items; indexing by a type parameter loses that relation.
  const schema = ITEMS[name] as unknown as z.ZodType<Item<Name>>
  return slices.flatMap(({ item_type, items }, place) =>
    parseClassName(item_type) === name
      ? items.map((item, index) =>
          parsed(schema, item, { name: SESSION, base: `/slices/${place}/items/${index}` }),
        )
      : [],
  )
}

function requireWhole(
  name: string,
  bytes: Uint8Array,
  { integrity }: z.output<typeof Manifest>,
): void {
  if (name === MANIFEST) return
  const stated = integrity.checksums[name.slice(ROOT.length)]
  if (stated === undefined)
    throw new Unusable(`${MANIFEST} /integrity/checksums has no entry for ${name}.`)
  if (stated !== bytesHash(bytes))
    throw new Unusable(
      `${name} does not have the checksum that ${MANIFEST} states, so it was changed or is damaged.`,
    )
}

function textIn(files: ReadonlyMap<string, Uint8Array>, name: string): string {
  const bytes = files.get(name)
  if (bytes === undefined)
    throw new Unusable(`The zip has no ${name}, so it cannot be imported as a debug bundle.`)
  return new TextDecoder().decode(bytes)
}

function jsonIn(files: ReadonlyMap<string, Uint8Array>, name: string): unknown {
  return parseBundleJson(textIn(files, name), name)
}

function parseBundleJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Unusable(`${name} is not JSON.`)
  }
}

interface Where {
  readonly name: string
  /** JSON pointer of the value in the file; absent: the whole file. */
  readonly base?: string
}

function parsed<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
  { name, base = '' }: Where,
): Value {
  const result = parseForm(schema, value)
  if (result.ok) return result.value
  const [{ path, message }] = result.problems
  const pointer = `${base}${path.map((part) => `/${String(part)}`).join('')}`
  throw new Unusable(`${name} ${pointer === '' ? '(whole)' : pointer}: ${message}`)
}
