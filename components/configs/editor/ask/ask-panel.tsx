'use client'
// A question about every run that the draft allows. Its parts are in the address.
import type { ConfigDocument } from '@signalbox/core'
import { parseConfigText } from '@signalbox/wire'
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs'
import { useEffect, useState } from 'react'
import { ClaimsCard } from '@/components/claims/claims-card.tsx'
import { MakeClaim } from '@/components/claims/make-claim.tsx'
import { OpenExample } from '@/components/claims/open-example.tsx'
import { PreventExample } from '@/components/claims/prevent-example.tsx'
import { TraceRows } from '@/components/claims/trace-rows.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { ScrollBox } from '@/components/ui/scroll-box.tsx'
import { Select } from '@/components/ui/select.tsx'
import { EmptyState } from '@/components/ui/states.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { usePaused } from '@/components/ui/use-paused.ts'
import { Words } from '@/components/ui/words.tsx'
import type { PublishTarget } from '@/server/configs/drafts.ts'
import { TOOL_NAMES } from '../form/fields.tsx'
import type { Answered, Asked } from './answer-worker.ts'
import { isClaimable, isPreventable } from './claimable.ts'

type Ask = Asked['question']['ask']

interface Slot {
  readonly name: 'tool' | 'needs' | 'since' | 'when' | 'rule'
  readonly label: string
  readonly isOptional?: true
}

const TOOL: Slot = { name: 'tool', label: 'Tool' }
const WITHOUT: readonly Slot[] = [
  { name: 'needs', label: 'Without a success of' },
  { name: 'since', label: 'Since the last success of (optional)', isOptional: true },
]

const QUESTIONS: {
  readonly [Name in Ask]: { readonly label: string; readonly slots: readonly Slot[] }
} = {
  run_without: { label: 'Can a tool run without another one?', slots: [TOOL, ...WITHOUT] },
  run_where: {
    label: 'Can a tool run where a condition holds?',
    slots: [TOOL, { name: 'when', label: 'CEL condition over args' }],
  },
  stop_without: { label: 'Can a stop pass without a tool?', slots: WITHOUT },
  trapped: { label: 'Can the agent be trapped, so that no stop can pass?', slots: [] },
  decisive: {
    label: 'Does a policy ever decide alone?',
    slots: [{ name: 'rule', label: 'Id of the policy' }],
  },
  most_calls: { label: 'How often can a tool run in one session?', slots: [TOOL] },
  advice: { label: 'Which policies never decide, and can the agent be trapped?', slots: [] },
  allows_more: { label: 'Does this draft allow what the live version refuses?', slots: [] },
}

const ASKS = Object.keys(QUESTIONS) as readonly Ask[]

const PLACE = {
  ask: parseAsStringLiteral(ASKS).withDefault('run_without'),
  tool: parseAsString.withDefault(''),
  needs: parseAsString.withDefault(''),
  since: parseAsString.withDefault(''),
  when: parseAsString.withDefault(''),
  rule: parseAsString.withDefault(''),
}

type AskedWords = { readonly [Name in Slot['name']]: string } & { readonly ask: Ask }

/** null: a part of the question is missing. */
function toQuestion({ ask, ...words }: AskedWords): Asked['question'] | null {
  const isMissing = ({ name, isOptional }: Slot): boolean =>
    isOptional !== true && words[name].trim() === ''
  if (QUESTIONS[ask].slots.some(isMissing)) return null
  const after = words.since.split(/[\s,]+/).filter((name) => name !== '')
  const since = after.length === 0 ? {} : { after }
  const [tool, needs] = [words.tool.trim(), words.needs.trim()]
  switch (ask) {
    case 'run_without':
      return { ask, tool, needs, ...since }
    case 'run_where':
      return { ask, tool, when: words.when }
    case 'stop_without':
      return { ask, needs, ...since }
    case 'decisive':
      return { ask, rule: words.rule.trim() }
    case 'most_calls':
      return { ask, tool }
    case 'trapped':
    case 'advice':
    case 'allows_more':
      return { ask }
    default:
      return ask satisfies never
  }
}

const PAUSE_MS = 400

export function AskPanel({
  prompt,
  document,
  live,
}: {
  readonly prompt: { readonly ns: string; readonly key: string }
  /** null: the draft is no valid config. */
  readonly document: ConfigDocument | null
  readonly live: PublishTarget | null
}) {
  const [words, setWords] = useQueryStates(PLACE)
  const question = toQuestion(words)
  const than = live?.live ? parseConfigText(live.live.text) : null
  const asked =
    document === null || question === null
      ? ''
      : JSON.stringify({ document, question, than: than?.ok === true ? than.document : null })
  const settled = usePaused(asked, PAUSE_MS)
  const answered = useAnswer(settled)
  const { slots } = QUESTIONS[words.ask]
  return (
    <ScrollBox label="Question about every run" className="h-full">
      <form
        className="flex max-w-[55rem] flex-col gap-3 p-4"
        onSubmit={(event) => event.preventDefault()}
      >
        <p className="text-text-2">
          The answer holds for every session that the rules of this draft allow, not only for
          recorded ones.
        </p>
        <Select
          label="Question"
          value={words.ask}
          options={ASKS.map((ask) => ({ value: ask, label: QUESTIONS[ask].label }))}
          onChange={(ask) => void setWords({ ask })}
        />
        {slots.length > 0 && (
          <div className="grid gap-3 sm:grid-cols-3">
            {slots.map(({ name, label }) => (
              <Field key={name} label={label}>
                {(control) => (
                  <Input
                    {...control}
                    className="font-mono text-mono"
                    spellCheck={false}
                    list={name === 'tool' || name === 'needs' ? TOOL_NAMES : undefined}
                    autoComplete="off"
                    value={words[name]}
                    onChange={({ target }) => void setWords({ [name]: target.value })}
                  />
                )}
              </Field>
            ))}
          </div>
        )}
        <Outcome
          isAsked={asked !== ''}
          hasErrors={document === null}
          answered={asked === '' ? null : answered}
        />
        {answered !== null && settled === asked && document !== null && question !== null && (
          <AnswerActions {...{ answered, document, question }} environment={live?.name ?? null} />
        )}
      </form>
      <div className="max-w-[55rem] p-4 pt-0">
        <ClaimsCard ns={prompt.ns} name={prompt.key} hasLink={false} />
      </div>
    </ScrollBox>
  )
}

function AnswerActions({
  answered: { question: sentence, events, expect },
  document,
  question,
  environment,
}: {
  readonly answered: Answered
  readonly document: ConfigDocument
  readonly question: Asked['question']
  readonly environment: string | null
}) {
  const { ns, key } = document
  const text = JSON.stringify(document)
  return (
    <div className="flex flex-wrap items-center gap-2">
      {expect !== null && isClaimable(question) && (
        <MakeClaim claim={{ ns, key, question, expect }} />
      )}
      {events.length > 0 && <OpenExample example={{ ns, key, sentence, document: text, events }} />}
      {events.length > 0 && environment !== null && isPreventable(question) && (
        <PreventExample wish={{ ns, key, environment, text, question }} />
      )}
    </div>
  )
}

function Outcome({
  isAsked,
  hasErrors,
  answered,
}: {
  readonly isAsked: boolean
  readonly hasErrors: boolean
  readonly answered: Answered | null
}) {
  if (hasErrors) return <EmptyState title="The draft has errors. Fix them to ask about it." />
  if (!isAsked) return <p className="text-text-3">Complete the question to see the answer.</p>
  if (answered === null)
    return (
      <p role="status" className="text-text-2">
        Searching…
      </p>
    )
  return (
    <div role="status" className="flex flex-col gap-2">
      <p className="flex items-baseline gap-2">
        {answered.isUnknown && <StatusBadge status="unknown" />}
        <span className="min-w-0 break-words font-medium">
          <Words text={answered.sentence} />
        </span>
      </p>
      {answered.lines.length > 0 && <TraceRows label={answered.title} lines={answered.lines} />}
    </div>
  )
}

const FAILED: Answered = {
  isUnknown: true,
  question: '',
  sentence: 'The search failed. Change the question to try again.',
  lines: [],
  title: 'Example',
  events: [],
  expect: null,
}

/** `asked`: an `Asked` as text; empty: nothing. null: there is no answer yet. A new question ends the search for the one before. */
function useAnswer(asked: string): Answered | null {
  const [done, setDone] = useState<{ readonly asked: string; readonly answered: Answered } | null>(
    null,
  )
  useEffect(() => {
    if (asked === '') return
    const worker = new Worker(new URL('./answer-worker.ts', import.meta.url))
    worker.addEventListener('message', ({ data }: MessageEvent<Answered>) =>
      setDone({ asked, answered: data }),
    )
    worker.addEventListener('error', () =>
      setDone({
        asked,
        answered: FAILED,
      }),
    )
    worker.postMessage(JSON.parse(asked))
    return () => worker.terminate()
  }, [asked])
  return done?.asked === asked ? done.answered : null
}
