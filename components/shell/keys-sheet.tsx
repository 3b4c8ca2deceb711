'use client'
import { useId } from 'react'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { Link } from '@/components/ui/link.tsx'
import { type ListedKey, useListedKeys } from './page-keys.ts'

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
      title="Keyboard shortcuts"
      description={
        <>
          Single keys can be switched off in{' '}
          <Link href="/settings/profile" className="text-link" onClick={onClose}>
            Settings › Profile
          </Link>
          .
        </>
      }
    >
      {pages.map((page) => (
        <KeyGroup key={page} name={page} keys={pageKeys.filter((listed) => listed.page === page)} />
      ))}
      <KeyGroup
        name="everywhere"
        keys={[
          { shown: '⌘K', does: 'search or jump' },
          ...everywhere.map(({ keys, shown, does }) => ({
            shown: shown ?? keys.replace('Shift+', ''),
            does,
          })),
        ]}
      />
      <p className="mt-3">
        <Link href="/docs" className="text-link">
          Documentation
        </Link>
      </p>
    </Dialog>
  )
}

type ShownKey = Omit<ListedKey, 'page'>

/** One row for each action, with all of its keys. */
function KeyGroup({ name, keys }: { readonly name: string; readonly keys: readonly ShownKey[] }) {
  const id = useId()
  const actions = [...new Set(keys.map(({ does }) => does))]
  return (
    <section aria-labelledby={id} className="not-first:mt-3">
      <h3 id={id} className="mb-1 font-medium text-small first-letter:uppercase">
        {name}
      </h3>
      <ul className="gap-x-6 sm:columns-2">
        {actions.map((action) => (
          <li key={action} className="flex break-inside-avoid items-center gap-1 py-0.5">
            <span className="min-w-0 flex-1 text-text-2 first-letter:uppercase">{action}</span>
            {keys
              .filter(({ does }) => does === action)
              .map(({ shown }) => (
                <Kbd key={shown}>{shown}</Kbd>
              ))}
          </li>
        ))}
      </ul>
    </section>
  )
}
