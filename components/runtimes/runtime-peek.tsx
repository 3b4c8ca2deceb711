'use client'

import { Fact, Facts, Peek } from '@/components/kit/list/peek.tsx'
import { IdChip } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { Ago, useZone } from '@/components/ui/time.tsx'
import type { RuntimeFacts } from '@/server/runtimes/runtime-pages.sql.ts'
import {
  bundleText,
  originText,
  STATE_LOOK,
  STATE_WORDS,
  stateText,
  versionsText,
} from './runtime-words.ts'

export function RuntimePeek({
  runtime,
  onClose,
}: {
  readonly runtime: RuntimeFacts
  readonly onClose: () => void
}) {
  const zone = useZone()
  return (
    <Peek title={runtime.name} onClose={onClose}>
      <div className="flex flex-col items-start gap-3">
        <StatusBadge status={STATE_LOOK[runtime.state]}>{STATE_WORDS[runtime.state]}</StatusBadge>
        <p className="break-words font-semibold text-h1">{stateText(runtime, zone)}</p>
        <Facts>
          <Fact name="Runtime">
            <IdChip id={runtime.id} label="Copy runtime id" />
          </Fact>
          <Fact name="Environment">{runtime.environment}</Fact>
          <Fact name="Runs in">{originText(runtime) || '–'}</Fact>
          <Fact name="Heartbeat">
            <Ago at={runtime.lastSeenAt} />
          </Fact>
          <Fact name="Bundle">{bundleText(runtime)}</Fact>
          <Fact name="Sessions">{runtime.liveSessions} running</Fact>
        </Facts>
        <Configs runtime={runtime} />
        <p className="flex gap-4">
          <Link href={`/runtimes/${runtime.id}`} className="text-link underline">
            Open the runtime
          </Link>
          <Link href={`/sessions?runtime=${runtime.id}`} className="text-link underline">
            Open its sessions
          </Link>
        </p>
      </div>
    </Peek>
  )
}

function Configs({ runtime: { configs } }: { readonly runtime: RuntimeFacts }) {
  if (configs.length === 0) return <p className="text-text-2">It has no config.</p>
  return (
    <section aria-label="Configs" className="w-full">
      <h3 className="font-semibold text-h2 text-text-2">Configs, applied versions</h3>
      <ul>
        {configs.map((config) => (
          <li key={config.prompt} className="flex justify-between gap-3 py-0.5">
            <code className="min-w-0 break-all">{config.prompt}</code>
            <span className="shrink-0 font-mono text-mono">
              {versionsText(config)}
              {config.behind === 0 ? '' : `, ${config.behind} behind`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
