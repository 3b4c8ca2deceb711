'use client'
// ⌘K: do something on this page, go to a page, a session, a config, or to whatever a pasted id names.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { Zap } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import { configPath } from '../configs/config-path.ts'
import { useTRPC } from '../trpc-provider.tsx'
import { shortId } from '../ui/copy.tsx'
import { DESTINATIONS } from './destinations.ts'
import { type PageAction, useListedActions } from './page-actions.ts'
import { GROUP, ITEM } from './palette-item.ts'
import { RollBacks } from './roll-backs.tsx'

/** Where an id leads; null when the text is not one. */
function pathOfId(text: string): string | null {
  if (/^sess_\w+$/.test(text)) return `/sessions/${text}`
  if (/^evt_\w+$/.test(text)) return `/e/${text}`
  if (/^rel_\w+$/.test(text)) return `/rollouts/${text}`
  if (/^stop_\w+$/.test(text)) return `/stops/${text}`
  return /^dec_\w+$/.test(text) ? `/decisions/${text}` : null
}

export function CommandPalette() {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const toggle = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setOpen((now) => !now)
    }
    window.addEventListener('keydown', toggle)
    return () => window.removeEventListener('keydown', toggle)
  }, [])
  return (
    <Command.Dialog
      open={open}
      onOpenChange={setOpen}
      label="Search or jump"
      overlayClassName="fixed inset-0 z-50 bg-text/25"
      contentClassName="fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-16px)] max-w-lg -translate-x-1/2 rounded-card border border-border bg-surface shadow-xl"
    >
      {open && <PaletteContent close={() => setOpen(false)} />}
    </Command.Dialog>
  )
}

function PaletteContent({ close }: { readonly close: () => void }) {
  const [text, setText] = useState('')
  const router = useRouter()
  const trpc = useTRPC()
  const sessions = useQuery(trpc.sessions.list.queryOptions({ filter: {}, limit: 10 }))
  const configs = useConfigsLike(text)
  const actions = useListedActions()
  const go = (path: string) => {
    close()
    router.push(path)
  }
  const direct = pathOfId(text.trim())
  return (
    <>
      <Command.Input
        value={text}
        onValueChange={setText}
        placeholder="Page, session, config, or an id"
        className="h-11 w-full border-border border-b bg-transparent px-3 outline-none"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto p-1">
        <Command.Empty className="px-2 py-3 text-text-2">Nothing found.</Command.Empty>
        {direct !== null && (
          <Command.Item value={text} onSelect={() => go(direct)} className={ITEM}>
            Open {shortId(text.trim())}
          </Command.Item>
        )}
        {actions.length > 0 && (
          <Command.Group heading="This page" className={GROUP}>
            {actions.map((action) => (
              <ActionItem key={action.name} action={action} close={close} />
            ))}
          </Command.Group>
        )}
        <Command.Group heading="Go to" className={GROUP}>
          {DESTINATIONS.map(({ href, name, icon: Icon }) => (
            <Command.Item key={href} value={name} onSelect={() => go(href)} className={ITEM}>
              <Icon size={14} aria-hidden />
              {name}
            </Command.Item>
          ))}
        </Command.Group>
        <Command.Group heading="Configs" className={GROUP}>
          {configs.slice(0, 20).map(({ ns, key }) => (
            <Command.Item
              key={`${ns}/${key}`}
              value={`${ns}/${key}`}
              onSelect={() => go(configPath(ns, key))}
              className={ITEM}
            >
              {ns}/{key}
            </Command.Item>
          ))}
        </Command.Group>
        <RollBacks configs={configs} go={go} />
        <Command.Group heading="Recent sessions" className={GROUP}>
          {(sessions.data?.sessions ?? []).map(({ id, ns, key }) => (
            <Command.Item
              key={id}
              value={`${id} ${ns}/${key}`}
              onSelect={() => go(`/sessions/${id}`)}
              className={ITEM}
            >
              {ns}/{key} <code className="text-text-3">{shortId(id)}</code>
            </Command.Item>
          ))}
        </Command.Group>
      </Command.List>
    </>
  )
}

const FIRST_CONFIGS = 50

/** The first configs by name, behind those that the last typed word is part of: it may stand in "Roll back dev team/coder". */
function useConfigsLike(typed: string) {
  const trpc = useTRPC()
  const text = typed.trim().split(/\s+/).at(-1)?.slice(0, 200) ?? ''
  const first = useQuery(trpc.configs.list.queryOptions({ limit: FIRST_CONFIGS })).data
  const isAll = first !== undefined && first.next === null
  const found = useQuery({
    ...trpc.configs.list.queryOptions({ text, limit: 20 }),
    enabled: text !== '' && !isAll,
    placeholderData: keepPreviousData,
  }).data
  const all = [...((text === '' ? null : found?.configs) ?? []), ...(first?.configs ?? [])]
  return [...new Map(all.map((config) => [config.id, config])).values()]
}

function ActionItem({
  action: { name, run, refusal },
  close,
}: {
  readonly action: PageAction
  readonly close: () => void
}) {
  return (
    <Command.Item
      value={name}
      disabled={refusal !== undefined}
      onSelect={() => {
        close()
        run()
      }}
      className={ITEM}
    >
      <Zap size={14} aria-hidden className="shrink-0 text-text-3" />
      <span className={refusal === undefined ? undefined : 'text-text-2'}>{name}</span>
      {refusal !== undefined && (
        <span className="min-w-0 flex-1 truncate text-small text-text-2" title={refusal}>
          {refusal}
        </span>
      )}
    </Command.Item>
  )
}
