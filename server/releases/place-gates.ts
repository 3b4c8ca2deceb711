// The gates are shown before a release and evaluated again inside its transaction (specs/releases.md). Pure.
import type { MandatoryBase } from '@/server/configs/bases.sql.ts'
import type { ConfigRow } from '@/server/configs/configs.sql.ts'
import type { DraftRow } from '@/server/configs/drafts.sql.ts'
import type { VersionRow } from '@/server/configs/versions.sql.ts'
import type { EnvironmentRow } from '@/server/environments/environments.sql.ts'
import { type Gate, isPassed, type ReleaseAnswers } from './release-input.ts'
import { type Refusal, refuse } from './release-outcome.ts'
import type { Content, ContentBase, UnreadContent } from './release-subject.ts'
import type { ReleaseKind } from './releases.sql.ts'
import type { RolloutRow } from './staged-rollouts.sql.ts'

/** Sentences have no period here; a refusal adds it. */
export function toGate(id: Gate['id'], state: Gate['state'], sentence: string): Gate {
  return { id, state, sentence, question: null }
}

export function archivedGates({
  config,
}: {
  readonly config: Pick<ConfigRow, 'archivedAt'>
}): readonly Gate[] {
  return config.archivedAt === null
    ? []
    : [toGate('archived', 'missing', 'This config is archived. Restore it first')]
}

/** `expected`: number of the live version that the user saw; undefined: no gate. */
export function movedGates(
  { environment: { name }, live }: LivePlace,
  expected: number | null | undefined,
): readonly Gate[] {
  const now = live?.number ?? null
  if (expected === undefined || now === expected) return []
  const runs = now === null ? 'nothing' : `v${now}`
  const sentence = `${name} runs ${runs} now; another user changed it meanwhile. Review the release again`
  return [toGate('moved', 'missing', sentence)]
}

export function unreadGate({ reason, message }: UnreadContent): Gate {
  return toGate(reason, 'missing', message.replace(/[.]$/, ''))
}

type Live = Pick<VersionRow, 'number' | 'digest' | 'baseVersionId'> | null

interface LivePlace {
  readonly environment: Pick<EnvironmentRow, 'name'>
  readonly live: Live
}

export function contentGates(
  { environment: { name }, live }: LivePlace,
  {
    digest,
    base,
    draft,
  }: Pick<Content, 'digest'> & {
    readonly base: Pick<ContentBase, 'versionId'> | null
    readonly draft: Pick<DraftRow, 'baseVersion'> | null
  },
  kind: ReleaseKind,
): readonly Gate[] {
  const gates = kind === 'publish' ? [toGate('problems', 'passed', 'Valid')] : []
  if (live?.digest === digest && live.baseVersionId === (base?.versionId ?? null)) {
    const sentence =
      kind === 'publish'
        ? `${name} runs exactly this content already, as v${live.number}. There is nothing to publish`
        : `${name} runs v${live.number} already, with exactly this content`
    gates.push(toGate('unchanged', 'missing', sentence))
  }
  return kind === 'publish' ? [...gates, baseGate(name, live, draft?.baseVersion ?? null)] : gates
}

/** A rollback passes: what ran before may run again. `mandatory` null: the project demands no base. */
export function mandatoryGates(
  mandatory: MandatoryBase | null,
  released: {
    /** `id` null: it does not exist yet. */
    readonly config: { readonly id: string | null }
    readonly content: { readonly base: Pick<ContentBase, 'configId'> | null }
    readonly kind: ReleaseKind
  },
): readonly Gate[] {
  const { config, content, kind } = released
  if (mandatory === null || kind === 'rollback') return []
  if (config.id === mandatory.configId || content.base?.configId === mandatory.configId) return []
  const { ns, key, newest } = mandatory
  const sentence = `Every config of this project must extend ${ns}/${key}, and this one does not. Add "extends": "${ns}/${key}@${newest}"`
  return [toGate('base_required', 'missing', sentence)]
}

function baseGate(name: string, live: Live, base: number | null): Gate {
  if (live === null) return toGate('behind', 'passed', `Nothing is live in ${name} yet`)
  if (base === null || base < live.number) {
    const from = base === null ? 'no version' : `v${base}`
    const sentence = `${name} runs v${live.number}, and this draft was made from ${from}. Review the difference and update the draft first`
    return toGate('behind', 'missing', sentence)
  }
  const sentence =
    base === live.number
      ? `Based on the live version (v${live.number})`
      : `Based on v${base}; ${name} runs v${live.number}`
  return toGate('behind', 'passed', sentence)
}

/** Reason why a release must go to every new session and cannot be watched; null: it can be staged or watched. Without a period. */
export function findWholeReleaseReason({ environment: { name }, live }: LivePlace): string | null {
  return live === null
    ? `No version runs in ${name} yet, so there is nothing to compare with`
    : null
}

export function comparisonGates(place: LivePlace): readonly Gate[] {
  const why = findWholeReleaseReason(place)
  const sentence = `${why}. Release it to every new session`
  return why === null ? [] : [toGate('nothing_before', 'missing', sentence)]
}

/** Gates of a release to a share. `version`: null: the content has none yet. `running`: staged rollout in the place; null: none. */
export function shareGates(
  { name }: Pick<EnvironmentRow, 'name'>,
  version: Pick<VersionRow, 'id' | 'number'> | null,
  running: Pick<RolloutRow, 'kind' | 'versionId' | 'share'> | null,
): readonly Gate[] {
  if (running?.kind !== 'staged' || running.versionId !== version?.id) return []
  const sentence = `v${version.number} gets ${running.share / 10}% of new sessions in ${name} already. Change its share, or stop it`
  return [toGate('unchanged', 'missing', sentence)]
}

export function demandGates({
  name,
  requiresNote,
  requiresTypedName,
}: Pick<EnvironmentRow, 'name' | 'requiresNote' | 'requiresTypedName'>): readonly Gate[] {
  const note = `A release to ${name} needs a note. Say what changes and why`
  const typed = `Type "${name}" exactly to confirm a release to ${name}`
  return [
    ...(requiresNote ? [toGate('note_required', 'ask', note)] : []),
    ...(requiresTypedName ? [toGate('name_required', 'ask', typed)] : []),
  ]
}

/** Refusal by the first gate that the request does not pass; null: it passes all. */
export function refusalBy(gates: readonly Gate[], answers: ReleaseAnswers): Refusal | null {
  const gate = gates.find((each) => !isPassed(each, answers))
  return gate === undefined ? null : refuse(gate.id, `${gate.sentence}.`)
}
