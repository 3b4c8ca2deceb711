'use client'
// Roll backs in the palette: each opens its dialog, none runs from here.
import type { inferRouterOutputs } from '@trpc/server'
import { Command } from 'cmdk'
import { Undo2 } from 'lucide-react'
import type { AppRouter } from '@/server/trpc/root.ts'
import { configPath } from '../configs/config-path.ts'
import { GROUP, ITEM } from './palette-item.ts'

type Configs = inferRouterOutputs<AppRouter>['configs']['list']['configs']

const MOST = 30

export function RollBacks({
  configs,
  go,
}: {
  readonly configs: Configs
  readonly go: (path: string) => void
}) {
  const places = configs.flatMap(({ ns, key, pointers }) =>
    pointers
      .filter(({ version }) => version > 1)
      .map(({ environment, version }) => ({ ns, key, environment, version })),
  )
  if (places.length === 0) return null
  return (
    <Command.Group heading="Roll back" className={GROUP}>
      {places.slice(0, MOST).map(({ ns, key, environment, version }) => (
        <Command.Item
          key={`${ns}/${key} ${environment}`}
          value={`Roll back ${environment} ${ns}/${key}`}
          onSelect={() =>
            go(`${configPath(ns, key)}/versions?move=rollback:${environment}:previous`)
          }
          className={ITEM}
        >
          <Undo2 size={14} aria-hidden />
          Roll back {environment}: {ns}/{key} from v{version}…
        </Command.Item>
      ))}
    </Command.Group>
  )
}
