'use client'

import type { DebugBundle } from '@signalbox/cli/wink'
import { countText, plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { Upload } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useRef, useState } from 'react'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field } from '@/components/ui/input.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { Select } from '@/components/ui/select.tsx'
import { ErrorLine, Skeleton } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { bundleIn, useSessionImport } from './use-session-import.ts'

export function ImportSession() {
  const right = useRight('editor')
  const input = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File | null>(null)
  const choose = (): void => input.current?.click()
  const refusal = right.reason ?? undefined
  usePageActions([{ name: 'Import a session…', run: choose, refusal }])
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="application/zip,.zip"
        aria-label="Debug bundle to import"
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          setFile(target.files?.[0] ?? null)
          // Lets the user choose the same file again after changing it.
          target.value = ''
        }}
      />
      <ReasonedButton {...right} onClick={choose}>
        <Upload size={14} aria-hidden /> Import…
      </ReasonedButton>
      {file === null ? null : <ImportDialog file={file} onClose={() => setFile(null)} />}
    </>
  )
}

interface ImportDialogProps {
  readonly file: File
  readonly onClose: () => void
}

function ImportDialog({ file, onClose }: ImportDialogProps) {
  const router = useRouter()
  const bundle = useQuery({
    // Size and date are in the key, so that a changed file is read again.
    queryKey: ['debug-bundle', file.name, file.size, file.lastModified],
    queryFn: () => bundleIn(file),
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { environment, field } = useTarget()
  const { sending, progress } = useSessionImport()
  const error = bundle.error ?? sending.error
  const start = async (read: DebugBundle): Promise<void> => {
    const id = await sending.mutateAsync({ bundle: read, environment }).catch(() => null)
    // The dialog shows the error of a refused import.
    if (id !== null) router.push(`/sessions/${id}`)
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Import ${file.name}`}
      description="A WINK debug bundle, read in this browser. Only the events of its session are sent."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={bundle.data === undefined || environment === '' || sending.isPending}
            onClick={() => bundle.data !== undefined && void start(bundle.data)}
          >
            Import session
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {error === null ? null : (
          <ErrorLine className="break-words">
            {file.name} cannot be imported. {error.message}
          </ErrorLine>
        )}
        {bundle.isPending ? <Skeleton className="w-3/5" /> : null}
        {bundle.data === undefined ? null : (
          <>
            <Held bundle={bundle.data} />
            {field}
          </>
        )}
        <p role="status" className="text-small text-text-2 tabular-nums empty:hidden">
          {progress === undefined
            ? ''
            : `Sent ${countText(progress.done)} of ${plural(progress.of, 'event')}.`}
        </p>
      </div>
    </Dialog>
  )
}

/** The chosen environment; until one is chosen, the environment of the list, else the first. */
function useTarget() {
  const trpc = useTRPC()
  const shown = useEnvironment()
  const [chosen, setChosen] = useState(shown)
  const { data } = useQuery({ ...trpc.runtimes.environments.queryOptions(), staleTime: 60_000 })
  const names = (data ?? []).map(({ name }) => name)
  const environment = chosen ?? names[0] ?? ''
  const field = (
    <Field label="Environment" hint="The session is listed there and excluded from all figures.">
      {({ id }) => (
        <Select
          id={id}
          label="Environment"
          value={environment}
          options={names.map((name) => ({ value: name, label: name }))}
          onChange={setChosen}
        />
      )}
    </Field>
  )
  return { environment, field }
}

function Held({ bundle }: { readonly bundle: DebugBundle }) {
  const { manifest, calls, feedback, plan, left } = bundle
  const { prompt, request } = manifest
  const steps = plan === null ? 'no plan' : `a plan of ${plural(plan.steps.length, 'step')}`
  return (
    <>
      <p>
        <code className="break-all font-medium">
          {prompt.ns}/{prompt.key}
        </code>
        , started <Timestamp at={request.started_at} style="second" />,{' '}
        {request.status === 'error' ? 'failed' : 'completed'}: {plural(calls.length, 'tool call')},{' '}
        {plural(feedback.length, 'note')} of feedback, {steps}.
      </p>
      <p className="text-text-2">
        Signalbox enforced nothing in it, and marks the session accordingly. Redaction rules are not
        applied to what WINK recorded: review a bundle before you import it.
      </p>
      {left.length === 0 ? null : (
        <p className="break-words text-text-2">
          Not imported: {left.map(({ name, count }) => `${name} (${count})`).join(', ')}.
        </p>
      )}
    </>
  )
}
