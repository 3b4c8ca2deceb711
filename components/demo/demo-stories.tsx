'use client'
import { useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { useNow } from '@/components/ui/time.tsx'
import type { StoryRun } from '@/server/demo/demo.sql.ts'
import { STORIES, type StoryName } from '@/server/demo/demo-input.ts'
import { STORY_TITLES, useDemoRight, useDemoRun } from './use-demo.ts'

const LOOK_EVERY_MS = 2_000
/** An agent sends its first event within a few seconds. */
const START_MS = 30_000

const ABOUT = {
  'release-notes': {
    text: 'Overwrites a file that it did not read, publishes before testing, and stops too early.',
    ending: 'Why its stop was blocked',
  },
  'coding-agent': {
    text: 'Fixes a bug: reads before it edits, tests before it commits, and gets no secrets.',
    ending: 'Why its stop was blocked',
  },
  'support-triage': {
    text: 'Answers a ticket: sees no card number, promises nothing, and waits for a reviewer.',
    ending: 'Why its refund was denied',
  },
} as const satisfies Record<StoryName, { readonly text: string; readonly ending: string }>

/** Renders nothing in a project in which the demo does not run. */
export function DemoStories() {
  const trpc = useTRPC()
  const demo = useDemoRun()
  const now = useNow()
  const started = demo.data?.sessionId
  const isLate = started !== undefined && now !== null && now - demo.submittedAt > START_MS
  // Ids sort by time: a later run of another user takes the place of this one.
  const isMissing = (runs: readonly StoryRun[]): boolean =>
    started !== undefined &&
    !runs.some((run) => run.story === demo.variables?.story && run.sessionId >= started)
  const stories = useQuery({
    ...trpc.demo.stories.queryOptions(),
    refetchInterval: ({ state: { data } }) =>
      data != null &&
      ((isMissing(data) && !isLate) || data.some(({ state }) => state === 'running'))
        ? LOOK_EVERY_MS
        : false,
  })
  useReadOnChange({ kind: 'session' }, stories)
  const runs = stories.data
  if (runs === undefined || runs === null) return null
  const isStarting = demo.isPending || (isMissing(runs) && !isLate)
  const isBusy = isStarting || runs.some(({ state }) => state === 'running')
  return (
    <section
      aria-labelledby="demo-title"
      className="rounded-card border border-border border-dashed bg-surface p-3 @container"
    >
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <h2 id="demo-title" className="font-semibold text-h2">
          See it work without an agent of your own
        </h2>
        <DemoTag ns="demo" />
        <p className="text-small text-text-2">
          A real agent with a scripted model, about 20 seconds. No figure or alert counts it.
        </p>
      </div>
      <ul className="mt-2 grid gap-3 @xl:grid-cols-3">
        {STORIES.map((story) => (
          <Story
            key={story}
            story={story}
            run={runs.find((run) => run.story === story)}
            isStarting={isStarting && demo.variables?.story === story}
            hasFailed={isMissing(runs) && isLate && demo.variables?.story === story}
            isBusy={isBusy}
            onRun={() => demo.mutate({ story })}
          />
        ))}
      </ul>
    </section>
  )
}

interface StoryProps {
  readonly story: StoryName
  /** Absent: it never ran. */
  readonly run: StoryRun | undefined
  readonly isStarting: boolean
  /** The agent ended before its first event. */
  readonly hasFailed: boolean
  readonly isBusy: boolean
  readonly onRun: () => void
}

function Story({ story, run, isStarting, hasFailed, isBusy, onRun }: StoryProps) {
  const right = useDemoRight()
  const title = STORY_TITLES[story]
  const wait = isBusy ? 'A demo session is running. Wait until it ends.' : null
  return (
    <li className="flex min-w-0 flex-col gap-1.5">
      <h3 className="font-medium">{title}</h3>
      <p className="text-small text-text-2">{ABOUT[story].text}</p>
      <div className="mt-auto flex flex-wrap items-center gap-x-3 gap-y-1">
        <ReasonedButton
          isAllowed={right.isAllowed && !isBusy}
          reason={right.reason ?? wait}
          aria-label={`Run the demo: ${title}`}
          onClick={onRun}
        >
          <Play size={14} aria-hidden />
          {run === undefined ? 'Run' : 'Run again'}
        </ReasonedButton>
        <p role="status" className="flex flex-wrap items-center gap-x-3 text-small">
          {isStarting ? (
            <StatusText status="running">Starting…</StatusText>
          ) : hasFailed ? (
            <StatusText status="error">The demo did not start. Run it again.</StatusText>
          ) : run === undefined ? null : (
            <Result run={run} />
          )}
        </p>
      </div>
    </li>
  )
}

function Result({ run }: { readonly run: StoryRun }) {
  const { story, sessionId, state, evidence } = run
  return (
    <>
      {state === 'running' ? <StatusText status="running">Running</StatusText> : null}
      {state === 'ended' && evidence !== null ? (
        <Link href={evidence} className="font-medium text-link">
          {ABOUT[story].ending}
        </Link>
      ) : null}
      <Link href={`/sessions/${sessionId}`} className="text-link">
        Open session
      </Link>
    </>
  )
}
