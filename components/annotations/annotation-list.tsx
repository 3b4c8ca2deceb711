'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { StickyNote } from 'lucide-react'
import { useState } from 'react'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { ShownAnnotation } from '@/server/annotations/annotations.ts'
import { AnnotationDialog } from './lazy-annotation-dialog.ts'

export function AnnotationList({
  annotations,
  onShow,
}: {
  readonly annotations: readonly ShownAnnotation[]
  /** Absent: the events are not shown beside the annotations. */
  readonly onShow?: (seq: number) => void
}) {
  return (
    <ul aria-label="Annotations" className="flex flex-col">
      {annotations.map((annotation) => (
        <Written key={annotation.id} annotation={annotation} onShow={onShow} />
      ))}
    </ul>
  )
}

interface WrittenProps {
  readonly annotation: ShownAnnotation
  readonly onShow: ((seq: number) => void) | undefined
}

function Written({ annotation, onShow }: WrittenProps) {
  const { id, seq, text, author, at, editedAt, isMine, mayRemove } = annotation
  const [isChanging, setChanging] = useState(false)
  return (
    <li className="flex gap-2 border-border border-b px-3 py-2 last:border-b-0">
      <StickyNote aria-hidden size={14} className="mt-0.5 shrink-0 text-text-2" />
      <div className="min-w-0 flex-1">
        <p className="max-w-[55rem] whitespace-pre-wrap break-words">{text}</p>
        <p className="flex flex-wrap items-center gap-x-2 text-small text-text-2">
          <span>{author}</span>
          <Timestamp at={at} style="second" />
          {editedAt === null ? null : (
            <span>
              changed <Timestamp at={editedAt} style="second" />
            </span>
          )}
          <About seq={seq} onShow={onShow} />
          {isMine ? (
            <Button className="no-print" variant="quiet" onClick={() => setChanging(true)}>
              Change
            </Button>
          ) : null}
          {mayRemove ? <RemoveButton id={id} isMine={isMine} /> : null}
        </p>
      </div>
      {isChanging ? (
        <AnnotationDialog
          draft={{ kind: 'change', id, seq, text }}
          onClose={() => setChanging(false)}
        />
      ) : null}
    </li>
  )
}

function About({ seq, onShow }: { readonly seq: number | null } & Pick<WrittenProps, 'onShow'>) {
  if (seq === null) return <span>on the session</span>
  if (onShow === undefined) return <span>on event #{seq}</span>
  return (
    <button type="button" className="min-h-6 text-link" onClick={() => onShow(seq)}>
      on event #{seq}
    </button>
  )
}

/** Asks for confirmation in place, because deletion cannot be undone. */
function RemoveButton({ id, isMine }: Pick<ShownAnnotation, 'id' | 'isMine'>) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const { mutate, isPending } = useMutation({
    mutationFn: () => {
      const { remove, removeAny } = client.annotations
      return (isMine ? remove : removeAny).mutate({ id })
    },
    onError: (error) => toast(`Not deleted: ${error.message}`),
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.annotations.pathKey() }),
  })
  if (!isAsking) {
    return (
      <Button className="no-print" variant="quiet" onClick={() => setAsking(true)}>
        Delete
      </Button>
    )
  }
  return (
    <span className="no-print inline-flex items-center gap-1">
      <Button variant="danger" disabled={isPending} onClick={() => mutate()}>
        Delete for everyone
      </Button>
      <Button onClick={() => setAsking(false)}>Keep</Button>
    </span>
  )
}
