'use client'
// Recomputes the decision with the console's own core.
import { type OpenedBundle, openPortableBundle } from '@signalbox/cli/portable'
import { MAX_PORTABLE_BYTES } from '@signalbox/wire'
import { clsx } from 'clsx'
import { FileUp } from 'lucide-react'
import { type DragEvent, useEffect, useId, useState } from 'react'
import { OpenedView } from '@/components/portable/opened-view.tsx'
import { Field, Input } from '@/components/ui/input.tsx'

interface Given {
  readonly name: string
  readonly bytes: Uint8Array
}

type Reading =
  | { readonly state: 'none' }
  | { readonly state: 'reading'; readonly name: string }
  | { readonly state: 'failed'; readonly name: string; readonly why: string }
  | { readonly state: 'read'; readonly given: Given }

/** A public key and a key id each have 32 bytes, in base64url. */
function isWhole(key: string): boolean {
  return /^[\w-]{43}$/.test(key)
}

function nextPaint(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
}

export function OpenPage({ carried }: { readonly carried: Uint8Array | null }) {
  const [reading, setReading] = useState<Reading>(
    carried === null
      ? { state: 'none' }
      : { state: 'read', given: { name: 'the bundle in this page', bytes: carried } },
  )
  const [key, setKey] = useState('')
  // Verifying a long log takes seconds, so it starts only when the typed key is complete or its field loses the focus.
  const [asked, setAsked] = useState<string | null>(null)
  const ask = (typed: string): void => setAsked(typed.trim() === '' ? null : typed.trim())
  const take = async (file: File): Promise<void> => {
    const { name, size } = file
    if (size > MAX_PORTABLE_BYTES) {
      setReading({ state: 'failed', name, why: 'It is larger than 64 MiB.' })
      return
    }
    setReading({ state: 'reading', name })
    try {
      setReading({
        state: 'read',
        given: { name, bytes: new Uint8Array(await file.arrayBuffer()) },
      })
    } catch (error) {
      setReading({ state: 'failed', name, why: String(error) })
    }
  }
  return (
    <main className="mx-auto min-h-screen max-w-[1280px] pb-8">
      <div className="flex flex-col gap-3 px-4 py-3">
        <div>
          <h1 className="font-semibold text-h1">Open a portable bundle</h1>
          <p className="text-small text-text-2">
            Signalbox. This page works without a network: what you open stays in this browser.
          </p>
        </div>
        <div className="grid gap-3 lg:grid-cols-[minmax(0,1fr)_minmax(320px,400px)]">
          <DropZone onFile={(file) => void take(file)} />
          <Field
            label="Expected signing key"
            hint="Public key or key ID, from Settings, Signing key, in the console. Without it, the signer is not verified."
          >
            {(control) => (
              <Input
                {...control}
                value={key}
                spellCheck={false}
                autoComplete="off"
                className="font-mono text-mono"
                onChange={({ target }) => {
                  setKey(target.value)
                  if (isWhole(target.value.trim())) ask(target.value)
                }}
                onBlur={() => ask(key)}
                onKeyDown={(event) => event.key === 'Enter' && ask(key)}
              />
            )}
          </Field>
        </div>
      </div>
      <Outcome reading={reading} asked={asked} isTyping={key.trim() !== (asked ?? '')} />
    </main>
  )
}

function DropZone({ onFile }: { readonly onFile: (file: File) => void }) {
  const [isOver, setOver] = useState(false)
  const id = useId()
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file !== undefined) onFile(file)
  }
  return (
    <label
      htmlFor={id}
      className={clsx(
        'flex min-h-20 flex-wrap items-center gap-3 rounded-card border border-border-strong border-dashed px-4 py-3',
        isOver ? 'bg-row-selected' : 'bg-surface',
      )}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <FileUp aria-hidden size={20} className="shrink-0 text-text-2" />
      <span className="min-w-0 flex-1 basis-60">
        <span className="font-medium">Drop a file ending in .signalbox here, or choose one</span>
        <span className="block text-small text-text-2">
          The console exports it from a stop or a decision.
        </span>
      </span>
      <input
        id={id}
        type="file"
        className="max-w-full text-small text-text-2 file:mr-2 file:h-(--control) file:cursor-pointer file:rounded-control file:border file:border-border file:bg-surface file:px-2.5 file:font-medium file:text-body file:text-text pointer-coarse:file:h-11"
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file !== undefined) onFile(file)
          // Lets the user choose the same file again after changing it.
          target.value = ''
        }}
      />
    </label>
  )
}

function Outcome({
  reading,
  asked,
  isTyping,
}: {
  readonly reading: Reading
  readonly asked: string | null
  /** True: the field has another key than the one that was used. */
  readonly isTyping: boolean
}) {
  if (reading.state === 'none') return null
  if (reading.state === 'failed') {
    return (
      <p role="alert" className="px-4 py-3 text-deny-fg">
        {reading.name} could not be read. {reading.why}
      </p>
    )
  }
  if (reading.state === 'reading') return <Working name={reading.name} />
  return (
    <>
      {isTyping && (
        <p role="status" className="px-4 pb-3 text-text-2">
          Not checked with this key yet. Press Enter when it is complete.
        </p>
      )}
      <Verified given={reading.given} asked={asked} />
    </>
  )
}

function Working({ name }: { readonly name: string }) {
  return (
    <p role="status" className="px-4 py-3 text-text-2">
      Verifying {name} …
    </p>
  )
}

interface Done {
  readonly bytes: Uint8Array
  readonly asked: string | null
  readonly opened: OpenedBundle
}

/** Verifying a long log takes seconds, so the page first states what it is doing. */
function Verified({ given, asked }: { readonly given: Given; readonly asked: string | null }) {
  const { bytes, name } = given
  const [done, setDone] = useState<Done | null>(null)
  useEffect(() => {
    let isStale = false
    void nextPaint().then(() => {
      if (!isStale) setDone({ bytes, asked, opened: openPortableBundle(bytes, asked) })
    })
    return () => {
      isStale = true
    }
  }, [bytes, asked])
  if (done === null || done.bytes !== bytes || done.asked !== asked) return <Working name={name} />
  return <OpenedView opened={done.opened} name={name} />
}
