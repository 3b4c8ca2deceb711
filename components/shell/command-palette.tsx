'use client'
// ⌘K: go to a page, a session, a config, or to whatever a pasted id names.
import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import { useTRPC } from '../trpc-provider.tsx'
import { shortId } from '../ui/copy.tsx'
import { DESTINATIONS } from './destinations.ts'
import { ITEM } from './palette-item.ts'
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
  const configs = useQuery(trpc.configs.list.queryOptions({}))
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
        <Command.Group
          heading="Go to"
          className="text-micro text-text-3 [&_[cmdk-item]]:text-body [&_[cmdk-item]]:text-text"
        >
          {DESTINATIONS.map(({ href, name, icon: Icon }) => (
            <Command.Item key={href} value={name} onSelect={() => go(href)} className={ITEM}>
              <Icon size={14} aria-hidden />
              {name}
            </Command.Item>
          ))}
        </Command.Group>
        <Command.Group
          heading="Configs"
          className="text-micro text-text-3 [&_[cmdk-item]]:text-body [&_[cmdk-item]]:text-text"
        >
          {(configs.data?.configs ?? []).slice(0, 20).map(({ ns, key }) => (
            <Command.Item
              key={`${ns}/${key}`}
              value={`${ns}/${key}`}
              onSelect={() => go(`/configs/${ns.replaceAll('/', '~')}/${key}`)}
              className={ITEM}
            >
              {ns}/{key}
            </Command.Item>
          ))}
        </Command.Group>
        <RollBacks configs={configs.data?.configs ?? []} go={go} />
        <Command.Group
          heading="Recent sessions"
          className="text-micro text-text-3 [&_[cmdk-item]]:text-body [&_[cmdk-item]]:text-text"
        >
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
