'use client'
import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from './button.tsx'

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState(false)
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true)
        setTimeout(() => setCopied(false), 1500)
      },
      () => setCopied(false),
    )
  }
  return (
    <IconButton
      label={copied ? 'Copied' : label}
      onClick={copy}
      className="size-[24px] min-w-[24px]"
    >
      {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
    </IconButton>
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
