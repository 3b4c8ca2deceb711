'use client'

import { Search } from 'lucide-react'
import { type RefObject, useId } from 'react'
import { useTyped } from '@/components/shell/address-provider.tsx'
import { Input } from '@/components/ui/input.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'

interface FilterBoxProps {
  readonly input: RefObject<HTMLInputElement | null>
  readonly label: string
  readonly placeholder: string
  readonly text: string | null
  /** Reason why the text is invalid; null: it is valid. */
  readonly problem?: string | null
  /** Null: the field is empty. Settles once the address has the text. */
  readonly onText: (text: string | null) => Promise<unknown>
}

export function FilterBox({
  input,
  label,
  placeholder,
  text,
  problem = null,
  onText,
}: FilterBoxProps) {
  const problemId = useId()
  const [typed, type] = useTyped(text ?? '', (next) => onText(next === '' ? null : next))
  return (
    <div className="flex max-w-full flex-wrap items-center gap-x-2 gap-y-1">
      <div className="relative w-72 max-w-full">
        <Search
          size={14}
          aria-hidden
          className="absolute top-1/2 left-2 -translate-y-1/2 text-text-3"
        />
        <Input
          ref={input}
          aria-label={label}
          aria-invalid={problem !== null}
          aria-describedby={problemId}
          value={typed}
          spellCheck={false}
          placeholder={placeholder}
          className="pr-7 pl-7"
          onChange={({ target }) => type(target.value)}
          onKeyDown={({ key, currentTarget }) => {
            if (key !== 'Escape') return
            type('')
            currentTarget.blur()
          }}
        />
        <span className="absolute inset-y-0 right-1.5 flex items-center max-sm:hidden">
          <Kbd>/</Kbd>
        </span>
      </div>
      <span id={problemId} role="alert" className="min-w-0 text-small text-warning-fg">
        {problem}
      </span>
    </div>
  )
}

export function Refused() {
  return <p className="px-4 py-3 text-text-2">No rows are listed, because the filter is invalid.</p>
}
