/**
 * Value of the address that shows the list of earlier texts instead of one text. In a file of its own, because the dialog is a lazy chunk.
 */
export const HISTORY_LIST = 'list'
