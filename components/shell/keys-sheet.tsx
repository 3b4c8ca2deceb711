'use client'
import { type ReactNode, useId } from 'react'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { Link } from '@/components/ui/link.tsx'
import { useListedKeys } from './page-keys.ts'

export interface KeysSheetProps {
  /** `shown`: display form; absent: `keys`. */
  readonly everywhere: readonly {
    readonly keys: string
    readonly shown?: string
    readonly does: string
  }[]
  readonly onClose: () => void
}

export function KeysSheet({ everywhere, onClose }: KeysSheetProps) {
  const pageKeys = useListedKeys()
  const pages = [...new Set(pageKeys.map(({ page }) => page))]
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Keys"
      description="Single keys can be switched off in Settings › Profile."
    >
      {pages.map((page) => (
        <KeyGroup key={page} name={page}>
          {pageKeys
            .filter((listed) => listed.page === page)
            .map(({ shown, does }) => (
              <KeyRow key={`${shown} ${does}`} keys={shown} does={does} />
            ))}
        </KeyGroup>
      ))}
      <KeyGroup name="everywhere">
        <KeyRow keys="⌘K" does="search or jump" />
        {everywhere.map(({ keys, shown, does }) => (
          <KeyRow key={keys} keys={shown ?? keys.replace('Shift+', '')} does={does} />
        ))}
      </KeyGroup>
      <p className="mt-3">
        <Link href="/docs" className="text-link">
          Documentation
        </Link>
      </p>
    </Dialog>
  )
}

function KeyGroup({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="not-first:mt-3">
      <h3 id={id} className="mb-1 font-medium text-small first-letter:uppercase">
        {name}
      </h3>
      <ul className="grid grid-cols-1 gap-x-6 gap-y-1 sm:grid-cols-2">{children}</ul>
    </section>
  )
}

function KeyRow({ keys, does }: { readonly keys: string; readonly does: string }) {
  return (
    <li className="flex items-center justify-between gap-3">
      <span className="text-text-2">{does}</span>
      <Kbd>{keys}</Kbd>
    </li>
  )
}
