// Each rollback opens its dialog, none runs from the palette.
import type { inferRouterOutputs } from '@trpc/server'
import { Undo2 } from 'lucide-react'
import { configPath } from '@/components/paths/config-path.ts'
import type { AppRouter } from '@/server/trpc/root.ts'
import type { PaletteGroup } from './palette-groups.ts'

type Configs = inferRouterOutputs<AppRouter>['configs']['list']['rows']

export function listRollBacks(configs: Configs, go: (path: string) => void): PaletteGroup {
  const entries = configs.flatMap(({ ns, key, pointers }) =>
    pointers
      .filter(({ version }) => version > 1)
      .map(({ environment, version }) => {
        const name = `Roll back ${environment}: ${ns}/${key} from v${version}…`
        const path = `${configPath(ns, key)}/versions?move=rollback:${environment}:previous`
        return { id: name, name, icon: Undo2, run: () => go(path) }
      }),
  )
  return { heading: 'Roll back', entries }
}
