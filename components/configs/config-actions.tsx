'use client'

import {
  Archive,
  ArchiveRestore,
  ArrowUpRight,
  Check,
  Copy,
  Diff,
  History,
  Lightbulb,
  PanelRight,
  PencilLine,
  Rocket,
  Undo2,
} from 'lucide-react'
import { markAction } from '@/components/kit/list/marked-foot.tsx'
import { type Peeking, peekAction } from '@/components/kit/list/peek-action.ts'
import type { Marks } from '@/components/kit/list/use-marks.ts'
import { configPath } from '@/components/paths/config-path.ts'
import type { ConfigRights } from '@/components/shell/use-config-rights.ts'
import type { MenuItem } from '@/components/ui/menu-button.tsx'
import type { ListedConfig } from '@/server/configs/configs.ts'
import { versionIn } from './config-cells.tsx'

const ICON = { size: 14, 'aria-hidden': true, className: 'shrink-0 text-text-3' } as const

export interface RowActions {
  readonly onDuplicate: (config: ListedConfig) => void
  readonly onArchive: (config: ListedConfig) => void
}

/** Undefined: it can be archived. */
export function archiveRefusal(
  { pointers }: { readonly pointers: readonly { readonly environment: string }[] },
  { archive }: ConfigRights,
): string | undefined {
  const places = pointers.map(({ environment }) => environment).join(', ')
  return archive.reason ?? (places === '' ? undefined : `It is live in ${places}.`)
}

export function hasChanges({ draft }: ListedConfig): boolean {
  return draft !== null && draft.state !== 'clean'
}

function listMoveItems(config: ListedConfig, chain: readonly string[]): readonly MenuItem[] {
  const versions = `${configPath(config.ns, config.key)}/versions?move=`
  const promotions = chain.flatMap((from, index): readonly MenuItem[] => {
    const [version, to] = [versionIn(config, from), chain[index + 1]]
    if (version === undefined || to === undefined || versionIn(config, to) === version) return []
    const href = `${versions}promote:${to}:${version}`
    return [{ name: `Promote v${version} to ${to}…`, icon: <Rocket {...ICON} />, href }]
  })
  const ways = config.pointers
    .filter(({ hasEarlier }) => hasEarlier)
    .map(({ environment, version }) => ({
      name: `Roll back ${environment} from v${version}…`,
      icon: <Undo2 {...ICON} />,
      href: `${versions}rollback:${environment}:previous`,
    }))
  return [...promotions, ...ways]
}

export function listActions(
  config: ListedConfig,
  use: {
    readonly chain: readonly string[]
    readonly rights: ConfigRights
    readonly actions: RowActions
    readonly marks: Marks
    readonly peek: Peeking
  },
): readonly MenuItem[] {
  const { chain, rights, actions, marks, peek } = use
  const path = configPath(config.ns, config.key)
  const first = [
    { name: 'Open', icon: <ArrowUpRight {...ICON} />, href: path },
    { ...peekAction(peek, config.id), icon: <PanelRight {...ICON} /> },
    { ...markAction(marks, config.id), icon: <Check {...ICON} /> },
  ]
  if (config.archivedAt !== null) {
    const restore = { name: 'Restore', icon: <ArchiveRestore {...ICON} /> }
    const onSelect = () => actions.onArchive(config)
    return [...first, { ...restore, onSelect, refusal: rights.archive.reason ?? undefined }]
  }
  return [
    ...first,
    {
      name: rights.edit.isAllowed ? 'Edit' : 'View in the editor',
      icon: <PencilLine {...ICON} />,
      href: `${path}/edit`,
    },
    {
      name: 'Diff of draft and live',
      icon: <Diff {...ICON} />,
      href: `${path}/edit?tab=diff`,
      refusal: hasChanges(config) ? undefined : 'The draft has no changes.',
    },
    { name: 'Versions', icon: <History {...ICON} />, href: `${path}/versions` },
    { name: 'Suggested rules', icon: <Lightbulb {...ICON} />, href: `${path}/suggested` },
    ...listMoveItems(config, chain),
    {
      name: 'Duplicate…',
      icon: <Copy {...ICON} />,
      onSelect: () => actions.onDuplicate(config),
      refusal: rights.edit.reason ?? undefined,
    },
    {
      name: 'Archive…',
      icon: <Archive {...ICON} />,
      onSelect: () => actions.onArchive(config),
      refusal: archiveRefusal(config, rights),
    },
  ]
}
