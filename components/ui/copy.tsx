'use client'
import { Check, Copy, X } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from './button.tsx'
import { writeToClipboard } from './clipboard.ts'

const SHOWN_MS = { copied: 1500, refused: 5000 } as const

const ICONS = { ready: Copy, copied: Check, refused: X } as const

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [state, setState] = useState<keyof typeof ICONS>('ready')
  const copy = async (): Promise<void> => {
    const next = (await writeToClipboard(text)) ? 'copied' : 'refused'
    setState(next)
    setTimeout(() => setState('ready'), SHOWN_MS[next])
  }
  const Icon = ICONS[state]
  return (
    <>
      <IconButton
        label={state === 'copied' ? 'Copied' : label}
        onClick={() => void copy()}
        className="size-[24px] min-w-[24px]"
      >
        <Icon size={14} aria-hidden />
      </IconButton>
      {state === 'refused' && (
        <span role="alert" className="whitespace-nowrap text-deny-fg text-small">
          Could not copy. Select the text.
        </span>
      )}
    </>
  )
}

export function shortId(id: string): string {
  const [prefix = '', rest = ''] = [id.slice(0, id.indexOf('_') + 1), id.slice(id.indexOf('_') + 1)]
  return rest.length <= 12 ? id : `${prefix}${rest.slice(0, 6)}…${rest.slice(-4)}`
}

export function IdChip({
  id,
  label = 'Copy id',
}: {
  readonly id: string
  readonly label?: string
}) {
  return (
    <span className="inline-flex items-center gap-0.5">
      <code title={id} className="text-text-2">
        {shortId(id)}
      </code>
      <CopyButton text={id} label={label} />
    </span>
  )
}
