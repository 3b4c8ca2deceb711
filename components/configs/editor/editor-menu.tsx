'use client'
import { ArchiveRestore, Trash2, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { FileInput } from '@/components/ui/file-button.tsx'
import { Menu } from '@/components/ui/menu.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { Workbench } from '@/server/configs/drafts.ts'
import { TrashDialog } from './trash-dialog.tsx'
import { useDiscard } from './use-discard.ts'
import { type DraftSession, toEditorText } from './use-draft.ts'

const MOST_UPLOADED_BYTES = 16 * 1024 * 1024

async function readConfig(file: File): Promise<string | null> {
  if (file.size > MOST_UPLOADED_BYTES) {
    const size = Math.ceil(file.size / 1024 / 1024)
    toast.error(`${file.name} has ${size} MiB. A config has at most 1 MiB, so it was not opened.`)
    return null
  }
  return toEditorText(await file.text())
}

export function EditorMenu({
  workbench,
  session,
  onText,
}: {
  readonly workbench: Workbench
  readonly session: DraftSession
  readonly onText: (text: string) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const [isTrashOpen, setTrashOpen] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const discard = useDiscard({ workbench, session })
  const openFile = async (file: File): Promise<void> => {
    const text = await readConfig(file)
    if (text !== null) onText(text)
  }
  return (
    <>
      <FileInput
        ref={input}
        label="Config file"
        accept="application/json,.json"
        onFiles={([file]) => void openFile(file)}
      />
      <Menu
        label="More actions"
        open={isOpen}
        onOpenChange={setOpen}
        items={[
          {
            name: 'Open file',
            note: 'replaces the text',
            icon: <Upload size={14} aria-hidden />,
            onSelect: () => input.current?.click(),
          },
          {
            name: 'Discarded drafts',
            icon: <ArchiveRestore size={14} aria-hidden />,
            onSelect: () => setTrashOpen(true),
          },
          {
            name: 'Discard draft',
            note: 'the live version stays',
            isApart: true,
            icon: <Trash2 size={14} aria-hidden />,
            onSelect: () => discard.mutate(),
            refusal: session.saver.seen() === null ? 'No draft is saved.' : undefined,
          },
        ]}
      />
      <TrashDialog
        workbench={workbench}
        isOpen={isTrashOpen}
        onOpen={setTrashOpen}
        onText={onText}
      />
    </>
  )
}
