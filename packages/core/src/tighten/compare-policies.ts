// Whether the policies of a newer version deny whatever those of the older one denied. Judged rule by rule from the documents
// alone: a rule stands where it was, with the same id, and is at least as strict for its type. What is not known is looser.
import type { SectionDocument } from '../kinds/config.ts'
import type { PlacedDocument, PlacedPolicy } from '../kinds/placed.ts'
import type { ApprovalDocument } from '../kinds/policies/approval.ts'
import type { CustomPolicyDocument } from '../kinds/policies/custom.ts'
import { conditionOf, type ExpressionPolicyDocument } from '../kinds/policies/expression.ts'
import { pathFormOf } from '../kinds/policies/path-argument.ts'
import type { RateLimitDocument } from '../kinds/policies/rate-limit.ts'
import type { ReadBeforeWriteDocument } from '../kinds/policies/read-before-write.ts'
import type { SequentialDependencyDocument } from '../kinds/policies/sequential-dependency.ts'
import type { PolicyDocument } from '../kinds/policies.ts'
import { isKnownPolicy } from '../kinds/policies.ts'
import { pointerTo } from '../model/json.ts'
import { compareNames, type Judgement, looser, quoted, stricter, untold } from './judgement.ts'
import { differingFields } from './same-fields.ts'

/** `from` and `to` are documents that compile. */
export function comparePolicies(from: PlacedDocument, to: PlacedDocument): readonly Judgement[] {
  const before = new Map(from.policies.map((policy) => [policy.item.id, policy]))
  const after = new Map(to.policies.map((policy) => [policy.item.id, policy]))
  const kept = from.policies.flatMap((policy) =>
    acts(policy.item) ? compareOne(policy, after.get(policy.item.id)) : [],
  )
  const begun = to.policies.flatMap((policy) => {
    const old = before.get(policy.item.id)
    if (!acts(policy.item) || (old !== undefined && acts(old.item))) return []
    const did = old === undefined ? 'is new' : `acts now (it was ${old.item.mode})`
    return [stricter(policy.pointer, `${nameOf(policy.item)} ${did}`)]
  })
  return [...kept, ...begun]
}

function acts({ mode = 'enforce' }: PolicyDocument): boolean {
  return mode === 'enforce'
}

function nameOf({ id }: PolicyDocument): string {
  return `Policy \`${id}\``
}

function compareOne(from: PlacedPolicy, to: PlacedPolicy | undefined): readonly Judgement[] {
  const name = nameOf(from.item)
  if (to === undefined) return [looser(from.pointer, `${name} is gone`)]
  const { pointer, item } = to
  if (!acts(item)) return [looser(pointerTo(pointer, 'mode'), `${name} is ${item.mode}`)]
  if (item.type !== from.item.type) {
    return [untold(pointerTo(pointer, 'type'), `${name} is of another type: ${item.type}`)]
  }
  return [...compareScope(from, to), ...compareFields(from.item, item, pointer)]
}

/** A rule of a section governs the tools that the section declares, and no others. */
function compareScope(from: PlacedPolicy, to: PlacedPolicy): readonly Judgement[] {
  const name = nameOf(from.item)
  return compareNames([governed(from.section), governed(to.section)], {
    pointer: to.pointer,
    says: [`${name} governs`, `${name} no longer governs`],
  })
}

function governed(section: SectionDocument | null): readonly string[] | 'every' {
  return section === null ? 'every' : (section.tools ?? [])
}

/** Two rules of one type, both acting. */
interface Pair<Document> {
  readonly before: Document
  readonly after: Document
  readonly pointer: string
  readonly name: string
}

function compareFields(
  before: PolicyDocument,
  after: PolicyDocument,
  pointer: string,
): readonly Judgement[] {
  const name = nameOf(before)
  const place = { pointer, name }
  if (!isKnownPolicy(before) || !isKnownPolicy(after)) {
    return compareCustom({ before, after, ...place })
  }
  // The types of the two are the same; TypeScript tells one union member at a time.
  switch (before.type) {
    case 'rate_limit':
      return compareRates({ before, after: after as RateLimitDocument, ...place })
    case 'approval':
      return compareApprovals({ before, after: after as ApprovalDocument, ...place })
    case 'sequential_dependency':
      return compareDependencies({
        before,
        after: after as SequentialDependencyDocument,
        ...place,
      })
    case 'read_before_write':
      return compareReads({ before, after: after as ReadBeforeWriteDocument, ...place })
    case 'expression':
      return compareExpressions({ before, after: after as ExpressionPolicyDocument, ...place })
    default:
      return before satisfies never
  }
}

const HEAD = ['id', 'type', 'mode'] as const

/** Fields of the two that differ and are not among those that were looked at. */
function compareRest<Document extends PolicyDocument>(
  { before, after, pointer, name }: Pair<Document>,
  seen: readonly string[],
): readonly Judgement[] {
  return differingFields(before, after, [...HEAD, ...seen]).map((field) =>
    untold(pointerTo(pointer, field), `${name} says another \`${field}\``),
  )
}

function compareTools<Document extends { readonly tools?: readonly string[] }>(
  { before, after, pointer, name }: Pair<Document>,
  verb: string,
): readonly Judgement[] {
  return compareNames([before.tools ?? 'every', after.tools ?? 'every'], {
    pointer: pointerTo(pointer, 'tools'),
    says: [`${name} ${verb}`, `${name} no longer ${verb}`],
  })
}

/** Of two numbers; `strictSide` is where the stricter ones are. */
function compareNumbers<Document>(
  { before, after, pointer, name }: Pair<Document>,
  { field, strictSide }: { readonly field: keyof Document & string; readonly strictSide: 1 | -1 },
): readonly Judgement[] {
  const [was, is] = [Number(before[field]), Number(after[field])]
  if (was === is) return []
  const judge = Math.sign(is - was) === strictSide ? stricter : looser
  return [judge(pointerTo(pointer, field), `${name}: \`${field}\` is ${is} instead of ${was}`)]
}

/** Fewer calls in the same time or longer. Calls of more tools count together, which only leaves fewer for each. */
function compareRates(pair: Pair<RateLimitDocument>): readonly Judgement[] {
  return [
    ...compareTools(pair, 'limits'),
    ...compareNumbers(pair, { field: 'max_calls', strictSide: -1 }),
    ...compareNumbers(pair, { field: 'per_seconds', strictSide: 1 }),
    ...compareRest(pair, ['tools', 'max_calls', 'per_seconds', 'optional']),
  ]
}

function compareApprovals(pair: Pair<ApprovalDocument>): readonly Judgement[] {
  return [
    ...compareTools(pair, 'asks about'),
    ...compareNumbers(pair, { field: 'timeout_seconds', strictSide: -1 }),
    ...compareRest(pair, ['tools', 'timeout_seconds', 'optional']),
  ]
}

function compareDependencies(pair: Pair<SequentialDependencyDocument>): readonly Judgement[] {
  const { before, after, name } = pair
  const pointer = pointerTo(pair.pointer, 'dependencies')
  const tools = new Set([...Object.keys(before.dependencies), ...Object.keys(after.dependencies)])
  const own = (document: SequentialDependencyDocument, tool: string) =>
    Object.hasOwn(document.dependencies, tool) ? (document.dependencies[tool] ?? []) : []
  return [
    ...[...tools].flatMap((tool) =>
      compareNames([own(before, tool), own(after, tool)], {
        pointer: pointerTo(pointer, tool),
        says: [`${name}: \`${tool}\` needs`, `${name}: \`${tool}\` no longer needs`],
      }),
    ),
    ...compareRest(pair, ['dependencies', 'optional']),
  ]
}

/**
 * Tools whose success makes a file known may only become fewer, and where reads expire not even that: a read that no longer counts
 * leaves an older one in force, of which the file may not have changed.
 */
function compareReads(pair: Pair<ReadBeforeWriteDocument>): readonly Judgement[] {
  const { before, after, pointer, name } = pair
  const expired = before.reads_expire_on_change ?? true
  const expires = after.reads_expire_on_change ?? true
  const at = (field: string) => pointerTo(pointer, field)
  const judgements: Judgement[] = [
    ...compareNames([before.write_tools, after.write_tools], {
      pointer: at('write_tools'),
      says: [`${name} governs writes of`, `${name} no longer governs writes of`],
    }),
    ...compareRest(pair, [
      ...['read_tools', 'write_tools', 'path_params', 'mount_point', 'optional'],
      ...['reads_expire_on_change', 'writes_count_as_reads'],
    ]),
  ]
  if (expired !== expires) {
    const side = expires ? stricter : looser
    const says = expires ? 'expire' : 'no longer expire'
    judgements.push(side(at('reads_expire_on_change'), `${name}: reads ${says} on change`))
  }
  if (pathFormOf(before).key !== pathFormOf(after).key) {
    judgements.push(untold(pointer, `${name} looks for the path elsewhere`))
  }
  return [...judgements, ...compareKnown(pair, expired)]
}

function compareKnown(
  { before, after, pointer, name }: Pair<ReadBeforeWriteDocument>,
  expired: boolean,
): readonly Judgement[] {
  const [was, is] = [knownBy(before), knownBy(after)]
  const more = is.filter((tool) => !was.includes(tool))
  const fewer = was.filter((tool) => !is.includes(tool))
  const at = pointerTo(pointer, 'read_tools')
  const tell = (tools: readonly string[], does: string) =>
    `${name}: a success of ${quoted(tools)} ${does} a file known`
  return [
    ...(more.length === 0 ? [] : [looser(at, tell(more, 'makes'))]),
    ...(fewer.length === 0
      ? []
      : [(expired ? looser : stricter)(at, tell(fewer, 'no longer makes'))]),
  ]
}

/** Tools whose success makes a file known, each once. */
export function knownBy(document: ReadBeforeWriteDocument): readonly string[] {
  const { read_tools, write_tools, writes_count_as_reads: counts = true } = document
  return [...new Set(counts ? [...read_tools, ...write_tools] : read_tools)]
}

/** A condition cannot be compared with another; only its tools can. */
function compareExpressions(pair: Pair<ExpressionPolicyDocument>): readonly Judgement[] {
  const { before, after, pointer, name } = pair
  const [was, is] = [conditionOf(before), conditionOf(after)]
  const same = was.source === is.source && was.mustHold === is.mustHold
  const changed = same
    ? []
    : [untold(pointer, `${name} has another condition, which may allow what the old one denied`)]
  const told = ['tools', 'deny_when', 'require', 'reason', 'optional']
  return [...changed, ...compareTools(pair, 'judges'), ...compareRest(pair, told)]
}

function compareCustom(pair: Pair<CustomPolicyDocument>): readonly Judgement[] {
  return [...compareTools(pair, 'judges'), ...compareRest(pair, ['tools'])]
}
