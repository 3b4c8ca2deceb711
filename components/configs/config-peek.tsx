'use client'

import { Fact, Facts, Peek } from '@/components/kit/list/peek.tsx'
import { configPath } from '@/components/paths/config-path.ts'
import { Link } from '@/components/ui/link.tsx'
import type { ListedConfig } from '@/server/configs/configs.ts'
import {
  DayText,
  DraftCell,
  LastReleaseCell,
  PointerCell,
  RuntimesText,
  rulesText,
} from './config-cells.tsx'

export function ConfigPeek({
  config,
  chain,
  onClose,
}: {
  readonly config: ListedConfig
  /** Environment names in order of promotion. */
  readonly chain: readonly string[]
  readonly onClose: () => void
}) {
  const { ns, key, archivedAt, rules, runtimes, day, lastRelease } = config
  const path = configPath(ns, key)
  return (
    <Peek title={`${ns}/${key}`} onClose={onClose}>
      <div className="flex flex-col gap-3">
        {archivedAt === null ? null : <p className="text-text-2">Archived</p>}
        <Facts>
          {chain.map((name) => (
            <Fact key={name} name={name}>
              <PointerCell config={config} environment={name} first={chain[0] ?? ''} />
            </Fact>
          ))}
          <Fact name="Draft">
            <DraftCell config={config} tabIndex={0} />
          </Fact>
          <Fact name="Rules">{rules === null ? '–' : rulesText(rules)}</Fact>
          <Fact name="Runtimes">
            <RuntimesText runtimes={runtimes} />
          </Fact>
          <Fact name="24 h">
            <DayText day={day} />
          </Fact>
          <Fact name="Last release">
            <LastReleaseCell release={lastRelease} tabIndex={0} />
          </Fact>
        </Facts>
        <p className="flex flex-wrap gap-x-4">
          <Link href={path} className="text-link underline">
            Open the config
          </Link>
          <Link href={`${path}/versions`} className="text-link underline">
            Versions
          </Link>
          <Link
            href={`/sessions?${new URLSearchParams({ prompt: `${ns}/${key}` }).toString()}`}
            className="text-link underline"
          >
            Its sessions
          </Link>
        </p>
      </div>
    </Peek>
  )
}
