'use client'

import { Search } from 'lucide-react'
import { type RefObject, useId } from 'react'
import { useTyped } from '@/components/shell/address-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Input } from '@/components/ui/input.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { EmptyState } from '@/components/ui/states.tsx'

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
    <>
      <div className="relative w-72 min-w-0 max-w-full max-sm:min-w-60 max-sm:flex-1">
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
      {/* Below all controls, so that none of them moves. */}
      <span
        id={problemId}
        role="alert"
        className="order-last basis-full text-small text-warning-fg empty:hidden"
      >
        {problem}
      </span>
    </>
  )
}

export function Refused({ onClear }: { readonly onClear: () => void }) {
  return (
    <EmptyState
      title="No rows are listed, because the filter is invalid."
      action={<Button onClick={onClear}>Clear filter</Button>}
    />
  )
}
