'use client'
// A restored text becomes the text of the open draft, so it is saved like any other and can be undone.
import { diffConfigs, plural } from '@signalbox/core/analysis'
import { parseConfigSource } from '@signalbox/wire'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ChangeList } from '@/components/kit/diff/change-list.tsx'
import { SideBySide } from '@/components/kit/diff/side-by-side.tsx'
import { BY_CURSOR } from '@/components/kit/list/kept-pages.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { clockText, Timestamp, useZone } from '@/components/ui/time.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { Workbench } from '@/server/configs/drafts.ts'
import type { EarlierText } from '@/server/configs/earlier-texts.sql.ts'
import { HISTORY_LIST } from './history-list.ts'
import type { EditorDocument } from './use-document.ts'
import { toEditorText } from './use-draft.ts'

export interface HistoryProps {
  readonly workbench: Workbench
  readonly doc: EditorDocument
  /** Reason why changes are not allowed; null: they are. */
  readonly why: string | null
  readonly readOnly: boolean
  /** `HISTORY_LIST`, or the id of a text; null: closed. */
  readonly shown: string | null
  readonly onShow: (shown: string | null) => void
}

export function HistoryDialog(props: HistoryProps) {
  const { shown, onShow } = props
  if (shown !== null && shown !== HISTORY_LIST) return <Preview {...props} id={shown} />
  return (
    <Dialog
      open={shown !== null}
      onOpenChange={(open) => onShow(open ? HISTORY_LIST : null)}
      wide
      title="Earlier texts of the draft"
      description="Texts replaced by later saves in the last 30 days. During typing, one text per minute is kept."
    >
      {shown !== null && <List {...props} />}
    </Dialog>
  )
}

function List({ workbench: { ns, key }, onShow }: HistoryProps) {
  const trpc = useTRPC()
  const query = useInfiniteQuery(trpc.drafts.history.infiniteQueryOptions({ ns, key }, BY_CURSOR))
  useReadOnChange({ kind: 'config' }, query)
  const texts = query.data?.pages.flatMap((page) => page.texts)
  if (texts === undefined) {
    if (query.error === null) return <SkeletonRows />
    const retry = () => void query.refetch()
    return (
      <ErrorState what="The earlier texts could not be read." why={query.error} onRetry={retry} />
    )
  }
  if (texts.length === 0) {
    return <p className="text-text-2">No earlier texts in the last 30 days.</p>
  }
  return (
    <>
      <ul>
        {texts.map((text) => (
          <li key={text.id} className="border-border border-b last:border-b-0">
            <button
              type="button"
              onClick={() => onShow(text.id)}
              className="flex w-full flex-wrap items-baseline gap-x-3 px-2 py-1.5 text-left hover:bg-row-hover"
            >
              <Timestamp at={text.savedAt} style="second" />
              <span>{describeSaver(text)}</span>
              <span className="text-text-2 sm:ml-auto">{describeSize(text)}</span>
            </button>
          </li>
        ))}
      </ul>
      {query.hasNextPage && (
        <Button
          className="mt-2"
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show 20 more
        </Button>
      )}
    </>
  )
}

function Preview({
  workbench: { ns, key },
  doc,
  why,
  readOnly,
  id,
  onShow,
}: HistoryProps & { readonly id: string }) {
  const trpc = useTRPC()
  const zone = useZone()
  const { data, error, refetch } = useQuery(trpc.drafts.earlierText.queryOptions({ ns, key, id }))
  const text = data === undefined ? null : toEditorText(data.text)
  const isPresent = text === doc.text
  const at = data === undefined ? '' : clockText(data.savedAt, zone).slice(0, 8)
  const restore = () => {
    if (text === null) return
    doc.replaceAll(text)
    onShow(null)
    toast(`Restored the text saved ${at}. Undo reverts this.`)
  }
  return (
    <Dialog
      open
      onOpenChange={() => onShow(null)}
      wide
      title={
        data === undefined
          ? 'Earlier text of the draft'
          : `Draft saved ${at} by ${describeSaver(data)}`
      }
      description={
        data === undefined ? undefined : (
          <>
            <Timestamp at={data.savedAt} style="second" />, {describeSize(data)}
          </>
        )
      }
      actions={
        <>
          <Button onClick={() => onShow(HISTORY_LIST)}>All earlier texts</Button>
          <ReasonedButton
            variant="primary"
            isAllowed={!readOnly && text !== null && !isPresent}
            reason={isPresent ? 'This is the current draft.' : why}
            onClick={restore}
          >
            Restore this text
          </ReasonedButton>
        </>
      }
    >
      {error !== null && (
        <ErrorState what="The text could not be read." why={error} onRetry={() => void refetch()} />
      )}
      {error === null && text === null && <SkeletonRows />}
      {text !== null && isPresent && <p className="text-text-2">This is the current draft.</p>}
      {text !== null && !isPresent && (
        <div className="flex flex-col gap-3">
          <h3 className="font-semibold text-h2">Changes if restored</h3>
          <InWords now={doc.text} then={text} />
          <SideBySide
            before={doc.text}
            after={text}
            labels={['The draft now', `Draft saved ${at}`]}
          />
        </div>
      )}
    </Dialog>
  )
}

function InWords({ now, then }: { readonly now: string; readonly then: string }) {
  const changes = useMemo(() => {
    const [present, earlier] = [parseConfigSource(now), parseConfigSource(then)]
    return present.ok && earlier.ok ? diffConfigs(present.document, earlier.document) : null
  }, [now, then])
  if (changes !== null) return <ChangeList changes={changes} />
  return (
    <p className="text-text-2">
      One of the two is not a valid config, so the changes cannot be described.
    </p>
  )
}

function describeSaver({ savedByName }: EarlierText): string {
  return savedByName ?? 'a former member'
}

function describeSize({ changes, characters }: EarlierText): string {
  const size = plural(characters, 'character')
  if (changes === null) return size
  if (changes === 0) return `formatting only, ${size}`
  return `${plural(changes, 'change')}, ${size}`
}
